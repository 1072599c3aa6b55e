package calc

import "fmt"

// Binding powers: an operator takes what stands to its right when that binds
// more strongly. ** binds to the right, and more strongly than a sign to its left.
const (
	bindSign  = 30
	bindPower = 40
)

var binding = map[string]int{
	"+": 10, "-": 10,
	"*": 20, "/": 20, "//": 20, "%": 20,
	"**": bindPower,
}

func (e *evaluator) whole() value {
	if e.peek().kind == tokenEnd {
		failAt(0, "the expression is empty")
	}
	result := e.expression(0)
	switch t := e.peek(); {
	case t.kind == tokenEnd:
	case t.is(")"), t.is("]"):
		failAt(t.position, "%q closes nothing", t.text)
	case t.is(","):
		failAt(t.position, "a comma only separates the arguments of a function; "+
			"write decimals with a point and numbers without thousands separators (1000, not 1,000)")
	default:
		missingOperator(t)
	}
	return result
}

func missingOperator(t token) {
	failAt(t.position, "an operator is missing before %s; write * to multiply", t.describe())
}

// expression evaluates operators that bind more strongly than power.
func (e *evaluator) expression(power int) value {
	if e.depth++; e.depth > maxDepth {
		failAt(e.peek().position, "the expression is nested more than %d deep: split it into parts", maxDepth)
	}
	defer func() { e.depth-- }()
	left := e.operand()
	for {
		t := e.peek()
		own, isBinary := binding[t.text]
		if t.kind != tokenOperator || !isBinary || own <= power {
			return left
		}
		e.take()
		if t.text == "**" {
			own--
		}
		right := e.expression(own)
		e.at = t.position
		left = e.binary(t.text, left, right)
	}
}

func (e *evaluator) operand() value {
	t := e.take()
	switch {
	case t.kind == tokenNumber:
		e.noOperand()
		return t.value
	case t.kind == tokenName:
		return e.named(t)
	case t.kind == tokenEnd:
		failAt(t.position, "the expression ends where a number was expected")
	case t.is("+"):
		return e.expression(bindSign)
	case t.is("-"):
		return negate(e.expression(bindSign))
	case t.is("("):
		if e.peek().is(")") {
			failAt(e.peek().position, "there is nothing between the parentheses")
		}
		inner := e.expression(0)
		e.close(t, ")")
		return inner
	case t.is("["):
		failAt(t.position, "a list can only be the argument of a function like sum([1, 2])")
	}
	failAt(t.position, "a number was expected before %s", t.describe())
	return value{}
}

// noOperand refuses a number or a name right behind an operand.
func (e *evaluator) noOperand() {
	if next := e.peek(); next.kind == tokenNumber || next.kind == tokenName {
		missingOperator(next)
	}
}

// close takes the bracket that matches open.
func (e *evaluator) close(open token, closing string) {
	switch t := e.take(); {
	case t.is(closing):
	case t.kind == tokenEnd:
		failAt(open.position, "the %q here is never closed", open.text)
	case t.is(","):
		failAt(t.position, "a comma only separates the arguments of a function; write decimals with a point")
	case t.is(")"), t.is("]"):
		failAt(t.position, "%q was expected to close the %q at character %d", closing, open.text, open.position)
	default:
		missingOperator(t)
	}
}

// named evaluates a constant or a call.
func (e *evaluator) named(name token) value {
	constant, isConstant := constants[name.text]
	f, isFunction := functions()[name.text]
	switch called := e.peek().is("("); {
	case called && isFunction:
		return e.call(name, f)
	case called && isConstant:
		missingOperator(e.peek())
	case isConstant:
		e.noOperand()
		return constant
	case isFunction:
		failAt(name.position, "%s is a function: write %s(…)", name.text, name.text)
	}
	unknownName(name)
	return value{}
}

func (e *evaluator) call(name token, f function) value {
	args := e.arguments(e.take(), ")", f.most < 0)
	if len(args) < f.least || f.most >= 0 && len(args) > f.most {
		failAt(name.position, "%s has %d arguments; it is used as %s", name.text, len(args), f.usage)
	}
	e.at = name.position
	cost := 20 + f.cost
	for _, arg := range args {
		if f.cost > 0 {
			cost += arg.size() * arg.size() / 4
		}
	}
	e.spend(cost)
	return f.call(e, args)
}

// arguments evaluates the arguments of a call. A function of many numbers also
// takes one list.
func (e *evaluator) arguments(open token, closing string, many bool) []value {
	if next := e.peek(); next.is("[") && many {
		items := e.arguments(e.take(), "]", false)
		if e.peek().is(",") {
			failAt(next.position, "a list can only be the one argument of a function like sum([1, 2])")
		}
		e.close(open, closing)
		return items
	}
	var args []value
	for !e.peek().is(closing) {
		if args = append(args, e.expression(0)); len(args) > maxArgs {
			failAt(open.position, "more than %d arguments", maxArgs)
		}
		if !e.peek().is(",") {
			break
		}
		e.take()
	}
	e.close(open, closing)
	return args
}

func (t token) is(operator string) bool { return t.kind == tokenOperator && t.text == operator }

func (t token) describe() string {
	switch t.kind {
	case tokenEnd:
		return "the end"
	case tokenNumber:
		return "a number"
	}
	return fmt.Sprintf("%q", t.text)
}
