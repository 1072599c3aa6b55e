package calc

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// transcendental is the cost of one root, logarithm or exponential.
const transcendental = 20_000

// operations are the four operators that exact and inexact numbers have.
var operations = map[string]struct {
	exact func(r, a, b *big.Rat) *big.Rat
	near  func(d, a, b *apd.Decimal) (apd.Condition, error)
}{
	"+": {(*big.Rat).Add, work.Add},
	"-": {(*big.Rat).Sub, work.Sub},
	"*": {(*big.Rat).Mul, work.Mul},
	"/": {(*big.Rat).Quo, work.Quo},
}

func (e *evaluator) binary(operator string, a, b value) value {
	effort := a.size() * b.size() / 4
	if operator == "//" || operator == "%" {
		effort *= 2
	}
	e.spend(20 + effort)
	if b.sign() == 0 && (operator == "/" || operator == "//" || operator == "%") {
		e.fail("division by zero")
	}
	switch operator {
	case "**":
		return e.power(a, b)
	case "//":
		return e.floor(e.binary("/", a, b))
	case "%": // the sign is the divisor's
		return e.binary("-", a, e.binary("*", b, e.binary("//", a, b)))
	}
	do := operations[operator]
	if a.exact != nil && b.exact != nil {
		return e.fraction(do.exact(new(big.Rat), a.exact, b.exact))
	}
	return e.near(do.near, e.decimal(a), e.decimal(b))
}

// floor is the largest integer that is not greater.
func (e *evaluator) floor(v value) value {
	r := e.rational(v)
	// Denominators are positive, so Euclidean division rounds down.
	return e.fraction(new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())))
}

// power is a ** b. A power with an integer exponent is exact while its digits
// can be written down.
func (e *evaluator) power(a, b value) value {
	exponent, isInteger := b.integer()
	switch {
	case b.sign() == 0:
		return small(1)
	case a.sign() == 0 && b.sign() < 0:
		e.fail("division by zero: 0 has no negative power")
	case a.sign() == 0:
		return small(0)
	case a.sign() < 0 && !isInteger:
		e.fail("a negative number has no real power with the exponent %s", e.format(b))
	case a.exact != nil && isInteger:
		if v, ok := e.exactPower(a.exact, exponent); ok {
			return v
		}
	case b.exact != nil && b.exact.Cmp(big.NewRat(1, 2)) == 0:
		return squareRoot(e, []value{a})
	}
	e.spend(2 * transcendental)
	return e.near(work.Pow, e.decimal(a), e.decimal(b))
}

// exactPower raises a fraction where the result is small enough. An integer
// that grows beyond the limit is an error.
func (e *evaluator) exactPower(base *big.Rat, exponent *big.Int) (value, bool) {
	if base.IsInt() && base.Num().IsInt64() && (base.Num().Int64() == 1 || base.Num().Int64() == -1) {
		if exponent.Bit(0) == 0 {
			return small(1), true
		}
		return value{exact: base}, true
	}
	top, bottom := base.Num(), base.Denom()
	if exponent.Sign() < 0 {
		top, bottom = bottom, top
	}
	n := new(big.Int).Abs(exponent)
	// |x|**n has more than (bits-1)*n bits, and at most bits*n.
	bits := int64(max(top.BitLen(), bottom.BitLen()))
	if !n.IsInt64() || n.Int64() > 4*maxBits || (bits-1)*n.Int64() > maxBits {
		if bottom.CmpAbs(big.NewInt(1)) == 0 {
			e.tooLarge()
		}
		return value{}, false
	}
	e.spend(int(bits*n.Int64()) / 8)
	return e.fraction(new(big.Rat).SetFrac(new(big.Int).Exp(top, n, nil), new(big.Int).Exp(bottom, n, nil))), true
}

func squareRoot(e *evaluator, a []value) value {
	if a[0].sign() < 0 {
		e.fail("a negative number has no real square root")
	}
	return e.root(a[0], 2, work.Sqrt)
}

// root takes a root, which is exact where its power is the exact argument.
func (e *evaluator) root(v value, power int64, do func(d, x *apd.Decimal) (apd.Condition, error)) value {
	e.spend(transcendental)
	root := e.near1(do, e.decimal(v))
	if v.exact == nil {
		return root
	}
	guess := e.rational(root)
	if guess.Num().BitLen()+guess.Denom().BitLen() > maxBits/4 {
		return root
	}
	n := big.NewInt(power)
	raised := new(big.Rat).SetFrac(new(big.Int).Exp(guess.Num(), n, nil), new(big.Int).Exp(guess.Denom(), n, nil))
	if raised.Cmp(v.exact) == 0 {
		return value{exact: guess}
	}
	return root
}

// exponential is e**x. The library's work grows with x.
func exponential(e *evaluator, a []value) value {
	if a[0].sign() == 0 {
		return small(1)
	}
	x := e.decimal(a[0])
	if f, err := x.Float64(); err == nil {
		e.spend(int(min(max(f, -f), 25_000)) * 50)
	}
	return e.near1(work.Exp, x)
}

// logarithm is natural, or to the base that is the second argument.
func logarithm(e *evaluator, a []value) value {
	one := big.NewRat(1, 1)
	if a[0].sign() <= 0 {
		e.fail("only positive numbers have a logarithm")
	}
	if len(a) == 2 && (a[1].sign() <= 0 || a[1].exact != nil && a[1].exact.Cmp(one) == 0) {
		e.fail("the base of a logarithm is positive and not 1")
	}
	if a[0].exact != nil && a[0].exact.Cmp(one) == 0 {
		return small(0)
	}
	result := e.near1(work.Ln, e.decimal(a[0]))
	if len(a) == 2 {
		e.spend(transcendental)
		result = e.near(work.Quo, result.near, e.near1(work.Ln, e.decimal(a[1])).near)
	}
	return result
}
