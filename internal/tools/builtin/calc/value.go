package calc

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// value is a number: exact as a fraction, or known to workDigits digits.
type value struct {
	exact *big.Rat     // nil: not exact
	near  *apd.Decimal // set where exact is nil
}

const (
	shownDigits = 34 // of a value that is not exact
	workDigits  = 60 // carried, so that rounding errors stay behind the digits shown
	sureDigits  = 45 // right after any usual number of operations
	maxPlaces   = 1_000
	// maxDenominator is how many bits the denominator of an exact fraction may have.
	maxDenominator = 3_400
	maxBits        = 33_220 // of 10**maxDigits
)

// work is the arithmetic of values that are not exact. Overflow, underflow and
// division by zero are errors.
var work = &apd.Context{
	Precision:   workDigits,
	MaxExponent: apd.MaxExponent,
	MinExponent: apd.MinExponent,
	Rounding:    apd.RoundHalfEven,
	Traps:       apd.DefaultTraps | apd.Underflow,
}

var tooManyDigits = powerOfTen(maxDigits)

func integer(n *big.Int) value { return value{exact: new(big.Rat).SetInt(n)} }

func small(n int64) value { return value{exact: new(big.Rat).SetInt64(n)} }

// fraction keeps an exact result, unless it has grown beyond use.
func (e *evaluator) fraction(r *big.Rat) value {
	v := value{exact: r}
	switch {
	case r.IsInt():
		if r.Num().BitLen() >= maxBits && r.Num().CmpAbs(tooManyDigits) >= 0 {
			e.tooLarge()
		}
		return v
	case r.Denom().BitLen() <= maxDenominator && r.Num().BitLen() <= maxBits:
		return v
	}
	return value{near: e.decimal(v)}
}

func (e *evaluator) tooLarge() { e.fail("the result has more than %d digits", maxDigits) }

// integer returns the value as an integer, where it is exactly one.
func (v value) integer() (*big.Int, bool) {
	if v.exact != nil && v.exact.IsInt() {
		return v.exact.Num(), true
	}
	return nil, false
}

func (v value) sign() int {
	if v.exact != nil {
		return v.exact.Sign()
	}
	return v.near.Sign()
}

// size is the room an exact value takes, in machine words.
func (v value) size() int {
	if v.exact == nil {
		return workDigits / 16
	}
	return 1 + (v.exact.Num().BitLen()+v.exact.Denom().BitLen())/64
}

func negate(v value) value {
	if v.exact != nil {
		return value{exact: new(big.Rat).Neg(v.exact)}
	}
	return value{near: new(apd.Decimal).Neg(v.near)}
}

// decimal returns the value rounded to workDigits digits.
func (e *evaluator) decimal(v value) *apd.Decimal {
	if v.exact == nil {
		return v.near
	}
	num := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(v.exact.Num()), 0)
	den := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(v.exact.Denom()), 0)
	return e.near(work.Quo, num, den).near
}

// near applies an operation of two decimals.
func (e *evaluator) near(do func(d, x, y *apd.Decimal) (apd.Condition, error), x, y *apd.Decimal) value {
	d := new(apd.Decimal)
	e.check(do(d, x, y))
	return value{near: d}
}

// near1 applies an operation of one decimal.
func (e *evaluator) near1(do func(d, x *apd.Decimal) (apd.Condition, error), x *apd.Decimal) value {
	d := new(apd.Decimal)
	e.check(do(d, x))
	return value{near: d}
}

// check fails on an error of the decimal arithmetic.
func (e *evaluator) check(condition apd.Condition, err error) {
	switch {
	case err == nil:
	case condition.Underflow(), condition.Subnormal():
		e.fail("the result is too close to zero (below 1e-%d)", apd.MaxExponent)
	case condition.Overflow(), condition&(apd.SystemOverflow|apd.SystemUnderflow) != 0:
		e.fail("the result is too large (above 1e%d)", apd.MaxExponent)
	case condition.DivisionByZero():
		e.fail("division by zero")
	default:
		e.fail("there is no result among the real numbers")
	}
}

// rational returns the value as an exact fraction. A value that is not exact
// counts as the number of sureDigits digits next to it, so that floor(log(8, 2)) is 3.
func (e *evaluator) rational(v value) *big.Rat {
	if v.exact != nil {
		return v.exact
	}
	rounded := e.near1(work.WithPrecision(sureDigits).Round, v.near).near
	switch {
	case rounded.Exponent > maxDigits:
		e.tooLarge()
	case rounded.Exponent < -2*maxDigits: // any integer rounding of it is that of a tiny number
		rounded = apd.New(int64(rounded.Sign()), -2*maxDigits)
	}
	r, _ := new(big.Rat).SetString(rounded.Text('e'))
	return r
}

// format writes a value for the reader.
func (e *evaluator) format(v value) string {
	e.at = 0
	if n, ok := v.integer(); ok {
		return n.String()
	}
	if v.exact != nil {
		if places, ends := v.exact.FloatPrec(); ends && places <= maxPlaces {
			d, _, err := apd.NewFromString(v.exact.FloatString(places))
			if err == nil {
				return layOut(d, maxPlaces)
			}
		}
	}
	return layOut(e.near1(work.WithPrecision(shownDigits).Round, e.decimal(v)).near, shownDigits)
}

// layOut writes a decimal plainly where that needs at most plain digits and few
// leading zeros, else with an exponent.
func layOut(d *apd.Decimal, plain int64) string {
	d.Reduce(d)
	point := d.NumDigits() + int64(d.Exponent) // digits before the decimal point
	if d.IsZero() || d.Exponent >= 0 && point <= plain || d.Exponent < 0 && point > -6 {
		d.Negative = d.Negative && !d.IsZero()
		return d.Text('f')
	}
	return d.Text('e')
}

func powerOfTen(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
