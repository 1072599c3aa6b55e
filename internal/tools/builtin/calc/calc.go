// Package calc evaluates arithmetic expressions with Python's precedence, floor
// division and modulo.
//
// Integers, decimals and fractions are exact: 0.1+0.2 is 0.3 and 1/3*3 is 1.
// Roots, logarithms and powers without an exact value have 34 significant
// digits, trigonometry those of a float64. Length, nesting, digits and the work
// of an expression are bounded, so that every expression is answered or refused
// within some tens of milliseconds.
//
// It knows nothing of tools.
package calc

import "fmt"

// Bounds of an expression.
const (
	maxLength = 10_000 // bytes
	maxDepth  = 200    // of nested parentheses, signs and powers
	maxDigits = 10_000 // of an exact integer
	maxArgs   = 2_000  // of one function call
	maxWork   = 2_000_000
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

// Evaluate returns the value of an expression in decimal notation, with an
// exponent where it would be unreadable without. Every error is an *Error.
func Evaluate(expression string) (result string, err error) {
	if len(expression) > maxLength {
		return "", &Error{Message: fmt.Sprintf("the expression has %d bytes, the limit is %d: split it into parts",
			len(expression), maxLength)}
	}
	e := &evaluator{scanner: newScanner(expression)}
	defer func() {
		if recovered := recover(); recovered != nil {
			failure, ours := recovered.(*Error)
			if !ours {
				panic(recovered)
			}
			result, err = "", failure
		}
	}()
	return e.format(e.whole()), nil
}

// evaluator parses and evaluates in one pass. Inside this package an error is a
// panic with an *Error, which Evaluate recovers: an evaluator is nested calls.
type evaluator struct {
	*scanner
	depth int
	spent int // units of about ten nanoseconds
	at    int // position of the operator or function that is being evaluated
}

// fail ends the evaluation with an error at the current position.
func (e *evaluator) fail(format string, args ...any) { failAt(e.at, format, args...) }

func failAt(position int, format string, args ...any) {
	panic(&Error{Position: position, Message: fmt.Sprintf(format, args...)})
}

// spend accounts for work before it is done.
func (e *evaluator) spend(units int) {
	if e.spent += units; e.spent > maxWork {
		e.fail("the expression takes too much work: split it into parts")
	}
}
