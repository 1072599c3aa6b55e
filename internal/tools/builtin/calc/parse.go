package calc

import "fmt"

// node is a part of an expression.
type node struct {
	kind     nodeKind
	text     string // operator or name
	value    value  // of a number
	args     []*node
	position int
}

type nodeKind int

const (
	nodeNumber nodeKind = iota
	nodeConstant
	nodeUnary
	nodeBinary
	nodeCall
	nodeList // only as the one argument of a function that takes many
)

// parser is a Pratt parser with Python's binding powers.
type parser struct {
	tokens []token
	pos    int
	depth  int
}

// Binding powers: an operator binds what stands to its right when that binds as
// strongly. ** binds to the right, and more strongly than a sign to its left.
const (
	powerSum     = 10
	powerProduct = 20
	powerSign    = 30
	powerPower   = 40
)

var binary = map[string]int{
	"+": powerSum, "-": powerSum,
	"*": powerProduct, "/": powerProduct, "//": powerProduct, "%": powerProduct,
	"**": powerPower,
}

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) take() token {
	t := p.tokens[p.pos]
	if t.kind != tokenEnd {
		p.pos++
	}
	return t
}

func (p *parser) is(operator string) bool {
	t := p.peek()
	return t.kind == tokenOperator && t.text == operator
}

func (p *parser) whole() (*node, error) {
	if p.peek().kind == tokenEnd {
		return nil, fail(0, "the expression is empty")
	}
	root, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	switch t := p.peek(); {
	case t.kind == tokenEnd:
		return root, nil
	case p.is(")"), p.is("]"):
		return nil, fail(t.position, "%q closes nothing", t.text)
	case p.is(","):
		return nil, fail(t.position, "a comma only separates the arguments of a function; write decimals with a point and numbers without thousands separators (1000, not 1,000)")
	default:
		return nil, missingOperator(t)
	}
}

func missingOperator(t token) error {
	return fail(t.position, "an operator is missing before %s; write * to multiply", t.describe())
}

func (t token) describe() string {
	switch t.kind {
	case tokenEnd:
		return "the end"
	case tokenNumber:
		return "a number"
	}
	return fmt.Sprintf("%q", t.text)
}

// expression reads operators that bind more strongly than power.
func (p *parser) expression(power int) (*node, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, fail(p.peek().position, "the expression is nested more than %d deep: split it into parts", maxDepth)
	}
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		own, isBinary := binary[t.text]
		if t.kind != tokenOperator || !isBinary || own <= power {
			return left, nil
		}
		p.take()
		inner := own
		if t.text == "**" {
			inner-- // to the right
		}
		right, err := p.expression(inner)
		if err != nil {
			return nil, err
		}
		left = &node{kind: nodeBinary, text: t.text, args: []*node{left, right}, position: t.position}
	}
}

func (p *parser) operand() (*node, error) {
	t := p.take()
	switch {
	case t.kind == tokenNumber:
		if next := p.peek(); next.kind == tokenNumber || next.kind == tokenName {
			return nil, missingOperator(next)
		}
		return &node{kind: nodeNumber, value: t.value, position: t.position}, nil
	case t.kind == tokenName:
		return p.named(t)
	case t.kind == tokenEnd:
		return nil, fail(t.position, "the expression ends where a number was expected")
	case t.text == "+" || t.text == "-":
		operand, err := p.expression(powerSign)
		if err != nil {
			return nil, err
		}
		return &node{kind: nodeUnary, text: t.text, args: []*node{operand}, position: t.position}, nil
	case t.text == "(":
		return p.group(t)
	case t.text == "[":
		return nil, fail(t.position, "a list can only be the argument of a function like sum([1, 2])")
	}
	if t.text == ")" && p.pos >= 2 && p.tokens[p.pos-2].text == "(" {
		return nil, fail(t.position, "there is nothing between the parentheses")
	}
	return nil, fail(t.position, "a number was expected before %s", t.describe())
}

func (p *parser) group(open token) (*node, error) {
	inner, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	return inner, p.close(open, ")")
}

// close reads the bracket that matches open.
func (p *parser) close(open token, closing string) error {
	if p.is(closing) {
		p.take()
		return nil
	}
	t := p.peek()
	switch {
	case t.kind == tokenEnd:
		return fail(open.position, "the %q here is never closed", open.text)
	case t.kind == tokenOperator && t.text == ",":
		return fail(t.position, "a comma only separates the arguments of a function; write decimals with a point")
	case t.kind == tokenOperator && (t.text == ")" || t.text == "]"):
		return fail(t.position, "%q was expected to close the %q at character %d", closing, open.text, open.position)
	}
	return missingOperator(t)
}

// named reads a constant or a call.
func (p *parser) named(name token) (*node, error) {
	if !p.is("(") {
		if _, known := constants[name.text]; known {
			if next := p.peek(); next.kind == tokenNumber || next.kind == tokenName {
				return nil, missingOperator(next)
			}
			return &node{kind: nodeConstant, text: name.text, position: name.position}, nil
		}
		if _, known := functions[name.text]; known {
			return nil, fail(name.position, "%s is a function: write %s(…)", name.text, name.text)
		}
		return nil, unknownName(name)
	}
	if _, known := functions[name.text]; !known {
		if _, known := constants[name.text]; known {
			return nil, fail(p.peek().position, "an operator is missing before \"(\"; write * to multiply")
		}
		return nil, unknownName(name)
	}
	open := p.take()
	args, err := p.arguments(open, ")")
	if err != nil {
		return nil, err
	}
	return &node{kind: nodeCall, text: name.text, args: args, position: name.position}, nil
}

// arguments reads what stands between the brackets of a call or a list.
func (p *parser) arguments(open token, closing string) ([]*node, error) {
	var args []*node
	for !p.is(closing) {
		arg, err := p.argument()
		if err != nil {
			return nil, err
		}
		if args = append(args, arg); len(args) > maxArgs {
			return nil, fail(open.position, "more than %d arguments", maxArgs)
		}
		if !p.is(",") {
			break
		}
		p.take()
	}
	return args, p.close(open, closing)
}

func (p *parser) argument() (*node, error) {
	if !p.is("[") {
		return p.expression(0)
	}
	open := p.take()
	items, err := p.arguments(open, "]")
	if err != nil {
		return nil, err
	}
	return &node{kind: nodeList, args: items, position: open.position}, nil
}
