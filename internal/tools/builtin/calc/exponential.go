package calc

import (
	"sync"

	"github.com/cockroachdb/apd/v3"
)

// precise is the arithmetic of logarithms and exponentials: the digits before
// the point of an exponent are lost behind it.
var precise = work.WithPrecision(workDigits + 12)

// logarithmOfTen is ln 10.
var logarithmOfTen = sync.OnceValue(func() *apd.Decimal {
	d := new(apd.Decimal)
	if _, err := turns.Ln(d, apd.New(10, 0)); err != nil {
		panic("calc: ln 10: " + err.Error())
	}
	return d
})

// exponential is e**x, as 10**k × e**r with a small r: the library's own stops
// at exponents of some thousands, and takes long to get there.
func exponential(ctx *apd.Context, x *apd.Decimal, position int) (*apd.Decimal, error) {
	if new(apd.Decimal).Abs(x).Cmp(apd.New(300_000, 0)) > 0 {
		return nil, outOfRange(x.Negative, position)
	}
	a := &arithmetic{ctx: precise}
	tens := new(apd.Decimal)
	quotient := a.quo(x, logarithmOfTen())
	if a.err == nil {
		_, a.err = precise.RoundToIntegralValue(tens, quotient)
	}
	wide := &arithmetic{ctx: turns}
	rest := wide.sub(x, wide.mul(tens, logarithmOfTen()))
	if wide.err != nil {
		return nil, explain(wide.err, position)
	}
	const halvings = 8
	power := a.series(a.quo(rest, apd.New(1<<halvings, 0)), taylorExponential)
	for range halvings {
		power = a.mul(power, power)
	}
	k, err := tens.Int64()
	if a.err != nil || err != nil {
		return nil, explain(a.err, position)
	}
	// The exponent is within 130,000 and the digits are some dozens: no overflow of int32.
	power.Exponent += int32(k)
	result := new(apd.Decimal)
	_, err = ctx.Round(result, power)
	return result, explain(err, position)
}

func outOfRange(nearZero bool, position int) error {
	if nearZero {
		return fail(position, "the result is too close to zero (below 1e-%d)", apd.MaxExponent)
	}
	return fail(position, "the result is too large (above 1e%d)", apd.MaxExponent)
}
