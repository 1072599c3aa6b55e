package builtin

import (
	"errors"
	"strings"

	"github.com/ledongthuc/pdf"
)

// pdfPage writes the text of one page, in the order in which the page draws it.
type pdfPage struct {
	page  pdf.Page
	out   *strings.Builder
	fonts map[string]pdf.TextEncoding // by the page's name of the font
	font  pdf.TextEncoding

	y     float64 // height at which the next text is drawn
	shown float64 // height of the text that was drawn last
	moved bool    // since then
}

// read is best effort: what cannot be read of a page is left out.
func (p *pdfPage) read() {
	defer func() { _ = recover() }()
	contents := p.page.V.Key("Contents")
	for _, stream := range streamsOf(contents) {
		if tooGreat(stream) {
			p.out.WriteString("[a page that is too large was left out]")
			return
		}
	}
	if contents.Kind() == pdf.Stream || contents.Kind() == pdf.Array {
		pdf.Interpret(contents, p.operator)
	}
}

func streamsOf(contents pdf.Value) []pdf.Value {
	if contents.Kind() != pdf.Array {
		return []pdf.Value{contents}
	}
	var streams []pdf.Value
	for i := range min(contents.Len(), 1000) {
		streams = append(streams, contents.Index(i))
	}
	return streams
}

var errEnoughText = errors.New("there is enough text")

// operator does one drawing instruction; those that draw no text are nothing.
// The names and operands are in table 106 to 109 of ISO 32000-1.
func (p *pdfPage) operator(stack *pdf.Stack, name string) {
	if p.out.Len() > maxWebText {
		panic(errEnoughText)
	}
	operands := make([]pdf.Value, stack.Len())
	for i := len(operands) - 1; i >= 0; i-- {
		operands[i] = stack.Pop()
	}
	switch name {
	case "BT":
		p.moveTo(0)
	case "T*":
		p.newLine()
	case "Tf":
		if len(operands) == 2 {
			p.font = p.encoding(operands[0].Name())
		}
	case "Td", "TD":
		if len(operands) == 2 {
			p.moveTo(p.y + operands[1].Float64())
		}
	case "Tm":
		if len(operands) == 6 {
			p.moveTo(operands[5].Float64())
		}
	case "'", "\"":
		p.newLine()
		fallthrough
	case "Tj":
		if len(operands) > 0 {
			p.show(operands[len(operands)-1])
		}
	case "TJ":
		if len(operands) == 1 {
			p.showSpaced(operands[0])
		}
	}
}

// wordGap is from which distance on, in thousandths of the font's size, two
// pieces of a TJ are words of their own.
const wordGap = 200

func (p *pdfPage) showSpaced(pieces pdf.Value) {
	for i := range pieces.Len() {
		piece := pieces.Index(i)
		switch piece.Kind() {
		case pdf.String:
			p.show(piece)
		case pdf.Integer, pdf.Real:
			if -piece.Float64() > wordGap {
				p.gap()
			}
		}
	}
}

func (p *pdfPage) show(text pdf.Value) {
	if text.Kind() != pdf.String {
		return
	}
	p.place()
	if p.font == nil {
		p.out.WriteString(text.Text())
		return
	}
	p.out.WriteString(p.font.Decode(text.RawString()))
}

// encoding turns a font's codes into characters; nil where that is not known.
func (p *pdfPage) encoding(name string) pdf.TextEncoding {
	if known, ok := p.fonts[name]; ok {
		return known
	}
	font := p.page.Font(name)
	var encoding pdf.TextEncoding
	if !font.V.IsNull() && !tooGreat(font.V.Key("ToUnicode")) {
		encoding = font.Encoder()
	}
	p.fonts[name] = encoding
	return encoding
}

func (p *pdfPage) moveTo(y float64) { p.y, p.moved = y, true }

// place parts the next text from the last: by a line, or on the same line a space.
func (p *pdfPage) place() {
	switch {
	case !p.moved:
	case p.y == p.shown:
		p.gap()
	default:
		p.newLine()
	}
	p.shown, p.moved = p.y, false
}

func (p *pdfPage) newLine() {
	if text := p.out.String(); text != "" && !strings.HasSuffix(text, "\n") {
		p.out.WriteByte('\n')
	}
}

func (p *pdfPage) gap() {
	if text := p.out.String(); text != "" && !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, " ") {
		p.out.WriteByte(' ')
	}
}
