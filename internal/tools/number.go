package tools

import (
	"strconv"
	"strings"
)

// decimal is a JSON number taken apart: ±digits × 10^exponent, where digits has
// neither leading nor trailing zeros and is empty for zero.
type decimal struct {
	negative bool
	digits   string
	exponent int
	text     string // set instead of all else: the exponent is beyond any use
}

// parseDecimal takes a valid JSON number apart. It is linear in its length,
// whatever the exponent.
func parseDecimal(text string) decimal {
	rest, negative := strings.CutPrefix(text, "-")
	exponent := 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		parsed, err := strconv.Atoi(rest[i+1:])
		if err != nil || parsed > maxExponent || parsed < -maxExponent {
			return decimal{text: text}
		}
		exponent, rest = parsed, rest[:i]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if trimmed == "" {
		return decimal{}
	}
	return decimal{negative: negative, digits: trimmed, exponent: exponent}
}

// maxExponent is far beyond every number type that a tool could read it into.
const maxExponent = 1_000_000

// maxPlain is the number of digits up to which a number is written without an exponent.
const maxPlain = 40

// append writes the one text that all equal numbers share: 1, 1.0 and 10e-1 are "1".
func (d decimal) append(out []byte) []byte {
	if d.text != "" {
		return append(out, d.text...)
	}
	if d.digits == "" {
		return append(out, '0')
	}
	if d.negative {
		out = append(out, '-')
	}
	point := len(d.digits) + d.exponent // digits before the decimal point
	switch {
	case d.exponent >= 0 && point <= maxPlain:
		out = append(out, d.digits...)
		return append(out, strings.Repeat("0", d.exponent)...)
	case d.exponent < 0 && point > 0:
		out = append(out, d.digits[:point]...)
		out = append(out, '.')
		return append(out, d.digits[point:]...)
	case d.exponent < 0 && point > -maxPlain:
		out = append(out, "0."...)
		out = append(out, strings.Repeat("0", -point)...)
		return append(out, d.digits...)
	}
	out = append(out, d.digits[0])
	if len(d.digits) > 1 {
		out = append(out, '.')
		out = append(out, d.digits[1:]...)
	}
	out = append(out, 'e')
	return strconv.AppendInt(out, int64(point-1), 10)
}
