package calc

import (
	"math/big"
	"strconv"
	"strings"
	"sync"

	"github.com/cockroachdb/apd/v3"
)

// value is a number: exact as a fraction, or known to workDigits digits.
type value struct {
	exact *big.Rat     // nil: not exact
	near  *apd.Decimal // set where exact is nil
}

const (
	shownDigits = 34 // of what is not exact
	// workDigits of what is not exact are carried, so that rounding errors stay
	// behind the digits that are shown.
	workDigits = 64
	// sureDigits of them are right after any usual number of steps.
	sureDigits = 50
	// maxDenominator is how many bits the denominator of an exact fraction may have.
	maxDenominator = 3_400
	// maxBits is how many bits 10**maxDigits has.
	maxBits = 33_220
)

// limit is the first integer that has too many digits.
var limit = sync.OnceValue(func() *big.Int { return powerOfTen(maxDigits) })

// work is the arithmetic of what is not exact. Overflow, underflow and division
// by zero are errors.
var work = &apd.Context{
	Precision:   workDigits,
	MaxExponent: apd.MaxExponent,
	MinExponent: apd.MinExponent,
	Rounding:    apd.RoundHalfEven,
	Traps:       apd.DefaultTraps | apd.Underflow,
}

func integer(n *big.Int) value { return value{exact: new(big.Rat).SetInt(n)} }

func small(n int64) value { return value{exact: new(big.Rat).SetInt64(n)} }

func near(d *apd.Decimal) value { return value{near: d} }

// fraction keeps an exact result, unless it has grown beyond use.
func fraction(r *big.Rat, position int) (value, error) {
	if r.IsInt() {
		if r.Num().BitLen() >= maxBits && r.Num().CmpAbs(limit()) >= 0 {
			return value{}, tooLarge(position)
		}
		return value{exact: r}, nil
	}
	if r.Denom().BitLen() <= maxDenominator && r.Num().BitLen() <= maxBits {
		return value{exact: r}, nil
	}
	d, err := value{exact: r}.decimal(position)
	return near(d), err
}

func tooLarge(position int) error {
	return fail(position, "the result has more than %d digits", maxDigits)
}

// whole is the value as an integer, where it is an exact one.
func (v value) whole() (*big.Int, bool) {
	if v.exact != nil && v.exact.IsInt() {
		return v.exact.Num(), true
	}
	return nil, false
}

// decimal is the value to workDigits digits.
func (v value) decimal(position int) (*apd.Decimal, error) { return v.decimalIn(work, position) }

// decimalIn is the value to the digits of ctx, where it has as many.
func (v value) decimalIn(ctx *apd.Context, position int) (*apd.Decimal, error) {
	if v.exact == nil {
		return v.near, nil
	}
	d := new(apd.Decimal)
	num := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(v.exact.Num()), 0)
	if v.exact.IsInt() {
		_, err := ctx.Round(d, num)
		return d, explain(err, position)
	}
	den := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(v.exact.Denom()), 0)
	_, err := ctx.Quo(d, num, den)
	return d, explain(err, position)
}

func (v value) sign() int {
	if v.exact != nil {
		return v.exact.Sign()
	}
	return v.near.Sign()
}

func (v value) isZero() bool { return v.sign() == 0 }

// explain puts an error of the decimal arithmetic into words.
func explain(err error, position int) error {
	if err == nil {
		return nil
	}
	switch text := err.Error(); {
	case strings.Contains(text, "underflow"), strings.Contains(text, "subnormal"):
		return fail(position, "the result is too close to zero (below 1e-%d)", apd.MaxExponent)
	case strings.Contains(text, "overflow"), strings.Contains(text, "exponent"):
		return fail(position, "the result is too large (above 1e%d)", apd.MaxExponent)
	case strings.Contains(text, "division"):
		return fail(position, "division by zero")
	default:
		return fail(position, "this has no result among the real numbers")
	}
}

// parseNumber reads digits with an optional point and exponent, exactly.
func parseNumber(text string, position int) (value, error) {
	mantissa, exponentText, hasExponent := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if hasExponent {
		parsed, err := strconv.Atoi(exponentText)
		if err != nil || parsed > maxDigits || parsed < -maxDigits {
			return value{}, fail(position, "the exponent of the number is beyond %d", maxDigits)
		}
		exponent = parsed
	}
	before, after, _ := strings.Cut(mantissa, ".")
	digits, ok := new(big.Int).SetString(before+after, 10)
	if !ok {
		return value{}, fail(position, "%q is not a number", text)
	}
	exponent -= len(after)
	if exponent >= 0 {
		return fraction(new(big.Rat).SetInt(digits.Mul(digits, powerOfTen(exponent))), position)
	}
	return fraction(new(big.Rat).SetFrac(digits, powerOfTen(-exponent)), position)
}

func powerOfTen(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
