package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// parser reads JSON and forgives the slips that ParseArguments names. It is our
// own because encoding/json says neither where a text was cut off nor what to do.
type parser struct {
	text     string
	pos      int
	depth    int
	repaired bool
}

func (p *parser) document() (any, error) {
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(p.text) {
		if p.text[p.pos] == '{' {
			return nil, p.fail("a second object begins; send exactly one object per call")
		}
		return nil, p.fail("there is text after the end of the JSON value; send nothing but one object")
	}
	return value, nil
}

func (p *parser) value() (any, error) {
	p.space()
	if p.pos >= len(p.text) {
		return nil, p.cutOff("where a value was expected")
	}
	switch c := p.text[p.pos]; {
	case c == '{':
		return p.nested(p.object)
	case c == '[':
		return p.nested(p.list)
	case c == '"':
		return p.string()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == '\'':
		return nil, p.fail("strings must stand in double quotes")
	}
	switch rest := p.text[p.pos:]; {
	case strings.HasPrefix(rest, "true"):
		p.pos += len("true")
		return true, nil
	case strings.HasPrefix(rest, "false"):
		p.pos += len("false")
		return false, nil
	case strings.HasPrefix(rest, "null"):
		p.pos += len("null")
		return nil, nil
	}
	return nil, p.fail("this is not a JSON value; text must stand in double quotes, and true, false and " +
		"null in lower case")
}

func (p *parser) nested(read func() (any, error)) (any, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > MaxArgumentsDepth {
		return nil, p.fail(fmt.Sprintf("lists and objects stand in each other more than %d deep", MaxArgumentsDepth))
	}
	return read()
}

func (p *parser) object() (any, error) {
	start := p.pos
	p.pos++
	object := map[string]any{}
	for {
		p.space()
		switch {
		case p.pos >= len(p.text):
			return nil, p.unclosed("object", start)
		case p.text[p.pos] == '}' && (len(object) == 0 || p.afterComma()):
			p.pos++
			return object, nil
		case p.text[p.pos] != '"':
			return nil, p.fail("a property name in double quotes was expected")
		}
		begin := p.pos
		text, err := p.string()
		if err != nil {
			return nil, err
		}
		name, _ := text.(string)
		if _, twice := object[name]; twice {
			p.pos = begin
			return nil, p.fail(fmt.Sprintf("the property %s is there twice; send each property once", quoted(name)))
		}
		p.space()
		if p.pos >= len(p.text) {
			return nil, p.unclosed("object", start)
		}
		if p.text[p.pos] != ':' {
			return nil, p.fail(fmt.Sprintf("a colon was expected after the property name %s", quoted(name)))
		}
		p.pos++
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		object[name] = value
		if closed, err := p.separator('}', "object", start); closed || err != nil {
			return object, err
		}
	}
}

func (p *parser) list() (any, error) {
	start := p.pos
	p.pos++
	items := []any{}
	for {
		p.space()
		if p.pos < len(p.text) && p.text[p.pos] == ']' && (len(items) == 0 || p.afterComma()) {
			p.pos++
			return items, nil
		}
		if p.pos >= len(p.text) {
			return nil, p.unclosed("list", start)
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		items = append(items, value)
		if closed, err := p.separator(']', "list", start); closed || err != nil {
			return items, err
		}
	}
}

// afterComma notes the repair of a trailing comma: the only way to come to the
// closing bracket of what is not empty without separator seeing it.
func (p *parser) afterComma() bool {
	p.repaired = true
	return true
}

// separator reads what stands behind an item: a comma, or the end.
func (p *parser) separator(closing byte, what string, start int) (closed bool, err error) {
	p.space()
	switch {
	case p.pos >= len(p.text):
		return false, p.unclosed(what, start)
	case p.text[p.pos] == closing:
		p.pos++
		return true, nil
	case p.text[p.pos] == ',':
		p.pos++
		return false, nil
	}
	return false,
		p.fail(fmt.Sprintf(
			"a comma or %q was expected here; perhaps a double quote inside a string lacks its backslash",
			string(closing)))
}

func (p *parser) number() (any, error) {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte("+-.0123456789eE", p.text[p.pos]) >= 0 {
		p.pos++
	}
	text := p.text[start:p.pos]
	if !json.Valid([]byte(text)) {
		p.pos = start
		return nil, p.fail(fmt.Sprintf("%s is not a JSON number", quoted(text)))
	}
	if parseDecimal(text).text != "" {
		p.pos = start
		return nil, p.fail("the number's exponent is too large")
	}
	return json.Number(text), nil
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(jsonSpace, p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) unclosed(what string, start int) error {
	return p.cutOff(fmt.Sprintf("before the %s that begins at character %d was closed", what, p.character(start)))
}

// cutOff is the error of a text that ends too early: of a stream that was cut,
// most often because the answer reached its length limit.
func (p *parser) cutOff(where string) error {
	return Errorf(CodeInvalidArguments,
		"the arguments are not complete: the JSON ends at character %d, %s; send the whole call again, and split "+
			"long content into several calls", p.character(len(p.text)), where)
}

// fail is an error at the current position, with what stands there.
func (p *parser) fail(problem string) error {
	rest := p.text[p.pos:]
	near := ""
	for i, n := 0, 0; i < len(rest) && n < 20; n++ {
		r, size := utf8.DecodeRuneInString(rest[i:])
		near += string(r)
		i += size
	}
	return Errorf(CodeInvalidArguments, "the arguments are not valid JSON at character %d (near %s): %s",
		p.character(p.pos), quoted(near), problem)
}

// character is the position of a byte, counted in characters from 1.
func (p *parser) character(pos int) int { return utf8.RuneCountInString(p.text[:pos]) + 1 }
