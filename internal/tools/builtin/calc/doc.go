// Package calc works out arithmetic expressions with Python's precedence, floor
// division and modulo.
//
// Integers, decimals and fractions are exact: 0.1+0.2 is 0.3 and 1/3*3 is 1.
// What has no exact value (a root, a sine, a fraction that never ends) is shown
// with 34 significant digits. Whatever the expression, the answer or an error
// comes within milliseconds: its length, its nesting, the digits of numbers and
// the work as a whole are bounded.
//
// It knows nothing of tools.
package calc

import "fmt"

// Bounds of an expression.
const (
	maxLength = 10_000 // bytes
	maxDepth  = 200    // of parentheses, signs and powers in each other
	maxDigits = 10_000 // of an exact integer
	maxArgs   = 2_000  // of one function call
)

// Error says what is wrong with an expression, and where.
type Error struct {
	Position int // in characters, from 1; 0: the expression as a whole
	Message  string
}

func (e *Error) Error() string {
	if e.Position == 0 {
		return e.Message
	}
	return fmt.Sprintf("at character %d: %s", e.Position, e.Message)
}

func fail(position int, format string, args ...any) *Error {
	return &Error{Position: position, Message: fmt.Sprintf(format, args...)}
}

// Evaluate works an expression out. The result is a number in decimal notation,
// with an exponent where it would be unreadable without. Every error is an *Error.
func Evaluate(expression string) (string, error) {
	if len(expression) > maxLength {
		return "", fail(0, "the expression has %d bytes, at most %d are taken: split it into parts", len(expression), maxLength)
	}
	tokens, err := scan(expression)
	if err != nil {
		return "", err
	}
	p := parser{tokens: tokens}
	root, err := p.whole()
	if err != nil {
		return "", err
	}
	e := evaluator{}
	result, err := e.eval(root)
	if err != nil {
		return "", err
	}
	return result.String(), nil
}
