package shellsyntax

import (
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Word is one word of a command.
type Word struct {
	// Value is the word without quotes. Of one that is not static the expansions
	// stand in it as they are written: "$HOME/x", "*.go".
	Value string
	// Pattern is the word as a glob where it is one: what is quoted has a backslash,
	// what is not known is a *. It is known of words of an Analysis alone, as are
	// Unknown and Guess.
	Pattern string
	// Static says that Value is exactly what the program gets.
	Static bool
	// Unknown says that parts of Value are not known before the line runs.
	Unknown bool
	// Guess says that variables which the line does not set were taken for empty.
	Guess bool
	// Learnt says that it has a variable that the line sets to what is not known, though
	// its name is that of a temporary directory.
	Learnt bool
}

// wordOf takes a word apart. Globs, braces and a leading ~ look like plain text
// in the tree and are none.
func wordOf(w *syntax.Word) Word {
	var text strings.Builder
	static := true
	for i, part := range w.Parts {
		value, known := partOf(part, i == 0)
		text.WriteString(value)
		static = static && known
	}
	return Word{Value: text.String(), Static: static}
}

func partOf(part syntax.WordPart, first bool) (value string, static bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		return literal(part.Value, first)
	case *syntax.SglQuoted:
		if part.Dollar {
			return ansi(part.Value)
		}
		return part.Value, true
	case *syntax.DblQuoted:
		var text strings.Builder
		static := !part.Dollar // $"…" is translated
		for _, inner := range part.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				text.WriteString(unescape(lit.Value, "$`\"\\"))
				continue
			}
			value, _ := partOf(inner, false)
			text.WriteString(value)
			static = false
		}
		return text.String(), static
	case *syntax.ParamExp:
		if part.Param != nil && part.Exp == nil && part.Index == nil && part.Slice == nil && part.Repl == nil && !part.Length {
			return "$" + part.Param.Value, false
		}
		return shortened(part), false
	default:
		return shortened(part), false
	}
}

// literal removes the backslashes of unquoted text and looks for what bash expands.
func literal(text string, first bool) (value string, static bool) {
	static = !(first && strings.HasPrefix(text, "~"))
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
			if i < len(text) && text[i] != '\n' {
				out.WriteByte(text[i])
			}
		case '*', '?', '[', '{':
			static = false
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), static
}

// unescape removes the backslashes before the characters that need one.
func unescape(text, special string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (strings.IndexByte(special, text[i+1]) >= 0 || text[i+1] == '\n') {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// ansi decodes $'…'.
func ansi(text string) (value string, static bool) {
	simple := map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'v': 11, '\\': '\\', '\'': '\'', '"': '"', '?': '?'}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		c := text[i]
		if plain, ok := simple[c]; ok {
			out.WriteByte(plain)
			continue
		}
		digits, base, most := text[i:], 8, 3
		switch c {
		case 'x':
			digits, base, most = text[i+1:], 16, 2
		case 'u':
			digits, base, most = text[i+1:], 16, 4
		case 'U':
			digits, base, most = text[i+1:], 16, 8
		}
		n := 0
		for n < len(digits) && n < most && isDigit(digits[n], base) {
			n++
		}
		code, err := strconv.ParseUint(digits[:n], base, 32)
		if err != nil {
			return text, false // \c and what nobody knows
		}
		if base == 8 {
			i += n - 1
		} else {
			i += n
		}
		if c == 'u' || c == 'U' {
			out.WriteRune(rune(code))
		} else {
			out.WriteByte(byte(code))
		}
	}
	return out.String(), true
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// maxShown is the size of expansions that stand in words as they are written, in bytes.
const maxShown = 96

// shortened is a part of the tree as source, or a word for it where it is long.
func shortened(node syntax.Node) string {
	if node.End().Offset()-node.Pos().Offset() > maxShown {
		return "$(…)"
	}
	return printed(node)
}

var printers = sync.Pool{New: func() any { return syntax.NewPrinter(syntax.SingleLine(true)) }}

// printed is a part of the tree as source.
func printed(node syntax.Node) string {
	var out strings.Builder
	printer := printers.Get().(*syntax.Printer)
	defer printers.Put(printer)
	if err := printer.Print(&out, node); err != nil {
		return "$(…)" // a part that cannot stand alone
	}
	return out.String()
}
