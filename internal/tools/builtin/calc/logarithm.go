package calc

import (
	"math"

	"github.com/cockroachdb/apd/v3"
)

// naturalLogarithm is ln x of a positive x. With x = m × 10**k and m near 1 it is
// ln m + k·ln 10; what a float64 knows of ln m leaves a factor so near to 1 that a
// few terms of a series do the rest.
func naturalLogarithm(x *apd.Decimal, position int) (*apd.Decimal, error) {
	a := &arithmetic{ctx: turns}
	m := new(apd.Decimal).Set(x)
	k := int64(x.Exponent) + x.NumDigits() - 1
	m.Exponent = int32(1 - x.NumDigits())
	if m.Cmp(apd.New(3, 0)) > 0 {
		m.Exponent--
		k++
	}
	result := a.mul(apd.New(k, 0), logarithmOfTen())
	estimate, err := m.Float64()
	if err != nil {
		return nil, explain(err, position)
	}
	if math.Abs(estimate-1) > 0.05 {
		guess, err := new(apd.Decimal).SetFloat64(math.Log(estimate))
		if err != nil {
			return nil, explain(err, position)
		}
		raised, err := exponential(precise, guess, position)
		if err != nil {
			return nil, err
		}
		result = a.add(result, guess)
		m = a.quo(m, raised)
	}
	one := apd.New(1, 0)
	a.ctx = precise
	result = a.add(result, a.inverseTangent(a.quo(a.sub(m, one), a.add(m, one))))
	return result, explain(a.err, position)
}

// inverseTangent is 2·artanh z = ln((1+z)/(1-z)), for a small z.
func (a *arithmetic) inverseTangent(z *apd.Decimal) *apd.Decimal {
	return a.mul(apd.New(2, 0), a.oddSeries(z, false))
}

// oddSeries sums x^k/k over odd k, with alternating signs or without.
func (a *arithmetic) oddSeries(x *apd.Decimal, alternates bool) *apd.Decimal {
	square := a.mul(x, x)
	power, sum := x, x
	for k := int64(3); a.err == nil && !power.IsZero(); k += 2 {
		power = a.mul(power, square)
		if alternates {
			power.Negative = !power.Negative
		}
		next := a.add(sum, a.quo(power, apd.New(k, 0)))
		if next.Cmp(sum) == 0 {
			break
		}
		sum = next
	}
	return sum
}
