package calc

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// maxExact is how many digits behind the point an exact decimal is shown with.
const maxExact = 1_000

// String is the number as the user reads it.
func (v value) String() string {
	if n, ok := v.whole(); ok {
		return n.String()
	}
	if v.exact != nil {
		if places, ends := decimalPlaces(v.exact.Denom()); ends && places <= maxExact {
			scaled := new(big.Int).Mul(v.exact.Num(), powerOfTen(places))
			scaled.Quo(scaled, v.exact.Denom())
			return layOut(v.exact.Sign() < 0, scaled.Abs(scaled).String(), -places, maxExact)
		}
	}
	d, err := v.decimal(0)
	if err != nil { // only for numbers that fraction does not let in
		return v.exact.RatString()
	}
	var shown apd.Decimal
	if _, err := work.WithPrecision(shownDigits).Round(&shown, d); err != nil {
		return d.String()
	}
	return layOut(shown.Negative, shown.Coeff.String(), int(shown.Exponent), shownDigits)
}

// decimalPlaces is how many digits behind the point a fraction with this
// denominator has, and whether they come to an end.
func decimalPlaces(denominator *big.Int) (places int, ends bool) {
	rest := new(big.Int).Set(denominator)
	twos := int(rest.TrailingZeroBits())
	rest.Rsh(rest, uint(twos))
	fives := 0
	five, quotient, remainder := big.NewInt(5), new(big.Int), new(big.Int)
	for {
		quotient.QuoRem(rest, five, remainder)
		if remainder.Sign() != 0 {
			break
		}
		rest, quotient = quotient, rest
		fives++
	}
	return max(twos, fives), rest.IsInt64() && rest.Int64() == 1
}

// layOut writes digits × 10^exponent: plainly where that needs no more than
// plain digits and few zeros behind the point, else with an exponent.
func layOut(negative bool, digits string, exponent, plain int) string {
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if trimmed == "" {
		return "0"
	}
	point := len(trimmed) + exponent // digits before the decimal point
	var text string
	switch {
	case exponent >= 0 && point <= plain:
		text = trimmed + strings.Repeat("0", exponent)
	case exponent < 0 && point > 0:
		text = trimmed[:point] + "." + trimmed[point:]
	case exponent < 0 && point > -6:
		text = "0." + strings.Repeat("0", -point) + trimmed
	default:
		text = trimmed[:1]
		if len(trimmed) > 1 {
			text += "." + trimmed[1:]
		}
		text += "e" + strconv.Itoa(point-1)
		if point > 0 {
			text = strings.Replace(text, "e", "e+", 1)
		}
	}
	if negative {
		return "-" + text
	}
	return text
}
