package calc

import (
	"errors"
	"math/big"
	"sync"

	"github.com/cockroachdb/apd/v3"
)

// turns is the arithmetic of angles: more digits than work, since reducing an
// angle by multiples of a right angle costs as many as the angle is long.
var turns = work.WithPrecision(workDigits + 60)

// maxAngle is how large an angle may be so that workDigits digits are left.
var maxAngle = apd.New(1, 45)

// piDecimal is π to the digits of turns and some more, by Machin's formula.
var piDecimal = sync.OnceValue(func() *apd.Decimal {
	const digits = workDigits + 80
	unit := powerOfTen(digits)
	pi := new(big.Int).Mul(big.NewInt(16), inverseArctan(5, unit))
	pi.Sub(pi, new(big.Int).Mul(big.NewInt(4), inverseArctan(239, unit)))
	return apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(pi), -digits)
})

// inverseArctan is arctan(1/n) × unit.
func inverseArctan(n int64, unit *big.Int) *big.Int {
	square := big.NewInt(n * n)
	power := new(big.Int).Quo(unit, big.NewInt(n))
	sum := new(big.Int).Set(power)
	for k := int64(3); power.Sign() != 0; k += 2 {
		power.Quo(power, square)
		term := new(big.Int).Quo(power, big.NewInt(k))
		if k%4 == 3 {
			sum.Sub(sum, term)
		} else {
			sum.Add(sum, term)
		}
	}
	return sum
}

// arithmetic chains operations and keeps the first error.
type arithmetic struct {
	ctx *apd.Context
	err error
}

func (a *arithmetic) do(op operation, x, y *apd.Decimal) *apd.Decimal {
	d := new(apd.Decimal)
	if a.err == nil {
		_, a.err = op(d, x, y)
	}
	return d
}

func (a *arithmetic) add(x, y *apd.Decimal) *apd.Decimal { return a.do(a.ctx.Add, x, y) }
func (a *arithmetic) sub(x, y *apd.Decimal) *apd.Decimal { return a.do(a.ctx.Sub, x, y) }
func (a *arithmetic) mul(x, y *apd.Decimal) *apd.Decimal { return a.do(a.ctx.Mul, x, y) }
func (a *arithmetic) quo(x, y *apd.Decimal) *apd.Decimal { return a.do(a.ctx.Quo, x, y) }

func (a *arithmetic) sqrt(x *apd.Decimal) *apd.Decimal {
	d := new(apd.Decimal)
	if a.err == nil {
		_, a.err = a.ctx.Sqrt(d, x)
	}
	return d
}

// sine is the sine of an angle in radians that was turned by quarters right
// angles before: with 1 it is the cosine.
func sine(v value, quarters int64, position int) (*apd.Decimal, error) {
	x, err := v.decimalIn(turns, position)
	if err != nil {
		return nil, err
	}
	if new(apd.Decimal).Abs(x).Cmp(maxAngle) > 0 {
		return nil, fail(position, "the angle is too large (above 1e45 radians)")
	}
	a := &arithmetic{ctx: turns}
	rightAngle := a.quo(piDecimal(), apd.New(2, 0))
	quotient, steps := a.quo(x, rightAngle), new(apd.Decimal)
	if a.err == nil {
		_, a.err = turns.RoundToIntegralValue(steps, quotient)
	}
	rest := a.sub(x, a.mul(steps, rightAngle))
	if v.exact == nil { // a multiple of a right angle, but for the digits that it does not have
		noise := a.mul(apd.New(1, -sureDigits), new(apd.Decimal).Abs(x))
		if new(apd.Decimal).Abs(rest).Cmp(noise) < 0 {
			rest = apd.New(0, 0)
		}
	}
	turned, err := value{near: steps}.rational(position)
	if a.err != nil || err != nil {
		return nil, explain(errors.Join(a.err, err), position)
	}
	a.ctx = precise
	quadrant := new(big.Int).Add(turned.Num(), big.NewInt(quarters))
	quadrant.Mod(quadrant, big.NewInt(4))
	result := apd.New(0, 0)
	if quadrant.Bit(0) == 0 {
		result.Set(a.series(rest, taylorSine))
	} else {
		result.Set(a.series(rest, taylorCosine))
	}
	result.Negative = result.Negative != (quadrant.Bit(1) == 1)
	return result, explain(a.err, position)
}

// taylor is one of the power series over x^k/k!.
type taylor struct {
	from, step int64
	alternates bool
}

var (
	taylorSine        = taylor{1, 2, true}
	taylorCosine      = taylor{0, 2, true}
	taylorSinh        = taylor{1, 2, false}
	taylorCosh        = taylor{0, 2, false}
	taylorExponential = taylor{0, 1, false}
)

// series sums until nothing changes any more. |x| is below 1.
func (a *arithmetic) series(x *apd.Decimal, t taylor) *apd.Decimal {
	factor, term := x, apd.New(1, 0)
	if t.step == 2 {
		factor = a.mul(x, x)
	}
	if t.from == 1 {
		term = x
	}
	sum := term
	for k := t.from + 1; a.err == nil && !term.IsZero(); k += t.step {
		divisor := k
		if t.step == 2 {
			divisor = k * (k + 1)
		}
		term = a.quo(a.mul(term, factor), apd.New(divisor, 0))
		if t.alternates {
			term.Negative = !term.Negative
		}
		next := a.add(sum, term)
		if next.Cmp(sum) == 0 {
			break
		}
		sum = next
	}
	return sum
}

// arctangent is the angle whose tangent is y/x, in the right quadrant.
func arctangent(y, x *apd.Decimal, position int) (*apd.Decimal, error) {
	a := &arithmetic{ctx: precise}
	pi := piDecimal()
	var angle *apd.Decimal
	absX, absY := new(apd.Decimal).Abs(x), new(apd.Decimal).Abs(y)
	switch {
	case x.IsZero() && y.IsZero():
		return apd.New(0, 0), nil
	case absY.Cmp(absX) <= 0:
		angle = a.arctan(a.quo(absY, absX))
	default:
		angle = a.sub(a.quo(pi, apd.New(2, 0)), a.arctan(a.quo(absX, absY)))
	}
	if x.Negative && !x.IsZero() {
		angle = a.sub(pi, angle)
	}
	if y.Negative {
		angle = new(apd.Decimal).Neg(angle)
	}
	return angle, explain(a.err, position)
}

// arctan is for arguments from 0 to 1: halved three times, then the power series.
func (a *arithmetic) arctan(x *apd.Decimal) *apd.Decimal {
	one := apd.New(1, 0)
	const halvings = 3
	for range halvings {
		x = a.quo(x, a.add(one, a.sqrt(a.add(one, a.mul(x, x)))))
	}
	return a.mul(a.oddSeries(x, true), apd.New(1<<halvings, 0))
}
