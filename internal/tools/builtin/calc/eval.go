package calc

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// evaluator works an expression out and keeps account of the work.
type evaluator struct {
	spent int
}

// maxWork is a few tens of milliseconds, in units of about ten nanoseconds.
const maxWork = 2_000_000

// spend accounts for work before it is done.
func (e *evaluator) spend(units, position int) error {
	if e.spent += units; e.spent > maxWork {
		return fail(position, "the expression takes too much work: split it into parts")
	}
	return nil
}

func (e *evaluator) eval(n *node) (value, error) {
	switch n.kind {
	case nodeNumber:
		return n.value, nil
	case nodeConstant:
		return constants[n.text](), nil
	case nodeUnary:
		v, err := e.eval(n.args[0])
		if err != nil || n.text == "+" {
			return v, err
		}
		return negate(v), nil
	case nodeBinary:
		left, err := e.eval(n.args[0])
		if err != nil {
			return value{}, err
		}
		right, err := e.eval(n.args[1])
		if err != nil {
			return value{}, err
		}
		return e.binary(n.text, left, right, n.position)
	case nodeList:
		return value{}, fail(n.position, "a list can only be the one argument of a function like sum([1, 2])")
	}
	return e.call(n)
}

func (e *evaluator) binary(operator string, a, b value, position int) (value, error) {
	effort := a.size() * b.size() / 4
	if operator == "//" || operator == "%" {
		effort *= 2
	}
	if err := e.spend(20+effort, position); err != nil {
		return value{}, err
	}
	if b.isZero() && (operator == "/" || operator == "//" || operator == "%") {
		return value{}, fail(position, "division by zero")
	}
	switch operator {
	case "**":
		return e.power(a, b, position)
	case "//":
		return floorDivide(a, b, position)
	case "%":
		return modulo(a, b, position)
	}
	if a.exact != nil && b.exact != nil {
		r := new(big.Rat)
		switch operator {
		case "+":
			r.Add(a.exact, b.exact)
		case "-":
			r.Sub(a.exact, b.exact)
		case "*":
			r.Mul(a.exact, b.exact)
		case "/":
			r.Quo(a.exact, b.exact)
		}
		return fraction(r, position)
	}
	return nearly(a, b, position, map[string]operation{"+": work.Add, "-": work.Sub, "*": work.Mul, "/": work.Quo}[operator])
}

// size is how much room an exact value takes, in machine words.
func (v value) size() int {
	if v.exact == nil {
		return workDigits / 16
	}
	return 1 + (v.exact.Num().BitLen()+v.exact.Denom().BitLen())/64
}

type operation func(d, x, y *apd.Decimal) (apd.Condition, error)

// nearly calculates with workDigits digits.
func nearly(a, b value, position int, do operation) (value, error) {
	x, err := a.decimal(position)
	if err != nil {
		return value{}, err
	}
	y, err := b.decimal(position)
	if err != nil {
		return value{}, err
	}
	d := new(apd.Decimal)
	_, err = do(d, x, y)
	return near(d), explain(err, position)
}

func negate(v value) value {
	if v.exact != nil {
		return value{exact: new(big.Rat).Neg(v.exact)}
	}
	return near(new(apd.Decimal).Neg(v.near))
}

// floorDivide is Python's //: the quotient rounded down.
func floorDivide(a, b value, position int) (value, error) {
	if a.exact != nil && b.exact != nil {
		return floor(value{exact: new(big.Rat).Quo(a.exact, b.exact)}, position)
	}
	quotient, err := nearly(a, b, position, work.Quo)
	if err != nil {
		return value{}, err
	}
	return floor(quotient, position)
}

// modulo is Python's %: the result has the sign of the divisor.
func modulo(a, b value, position int) (value, error) {
	quotient, err := floorDivide(a, b, position)
	if err != nil {
		return value{}, err
	}
	if a.exact != nil && b.exact != nil {
		product := new(big.Rat).Mul(b.exact, quotient.exact)
		return fraction(product.Sub(a.exact, product), position)
	}
	product, err := nearly(b, quotient, position, work.Mul)
	if err != nil {
		return value{}, err
	}
	return nearly(a, product, position, work.Sub)
}

// floor is the largest integer that is not greater. It is exact.
func floor(v value, position int) (value, error) {
	r, err := v.rational(position)
	if err != nil {
		return value{}, err
	}
	// Denominators are positive, so Euclidean division rounds down.
	return fraction(new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())), position)
}

// rational is the value as an exact fraction. What was not exact is taken for
// the number of sureDigits digits that it is next to, so that log(8, 2) is 3.
func (v value) rational(position int) (*big.Rat, error) {
	if v.exact != nil {
		return v.exact, nil
	}
	var rounded apd.Decimal
	if _, err := work.WithPrecision(sureDigits).Round(&rounded, v.near); err != nil {
		return nil, explain(err, position)
	}
	exponent := int(rounded.Exponent)
	if exponent > maxDigits {
		return nil, tooLarge(position)
	}
	n := rounded.Coeff.MathBigInt()
	if rounded.Negative {
		n.Neg(n)
	}
	if exponent >= 0 {
		return new(big.Rat).SetInt(n.Mul(n, powerOfTen(exponent))), nil
	}
	if exponent < -2*maxDigits { // as good as zero to whoever rounds it to an integer
		if n.Sign() == 0 {
			return new(big.Rat), nil
		}
		n, exponent = big.NewInt(int64(n.Sign())), -2*maxDigits
	}
	return new(big.Rat).SetFrac(n, powerOfTen(-exponent)), nil
}
