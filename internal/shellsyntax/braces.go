package shellsyntax

import (
	"strconv"
	"strings"
)

// braces expands {a,b} and short {1..3}; what would be too much stays as it is.
func (x *expander) braces(t text) []text {
	done := []text{}
	open := []text{t}
	for len(open) > 0 {
		if len(done)+len(open) > maxFields {
			x.large = true
			return append(done, open...)
		}
		if !x.spend(1 + len(t.bytes)/64) {
			return append(done, open...)
		}
		next := open[0]
		open = open[1:]
		expanded := x.braceOnce(next)
		if expanded == nil {
			done = append(done, next)
			continue
		}
		open = append(expanded, open...)
	}
	return done
}

// braceOnce expands the first brace of a text; nil: there is none.
func (x *expander) braceOnce(t text) []text {
	for start, b := range t.bytes {
		if b != '{' || t.kinds[start] != 0 {
			continue
		}
		commas, end := []int{start}, -1
		depth := 0
		for i := start + 1; i < len(t.bytes) && end < 0; i++ {
			if t.kinds[i] != 0 {
				continue
			}
			switch c := t.bytes[i]; {
			case c == '{':
				depth++
			case c == '}' && depth > 0:
				depth--
			case c == '}':
				end = i
			case c == ',' && depth == 0:
				commas = append(commas, i)
			}
		}
		switch {
		case end < 0:
			continue
		case len(commas) > 1:
			list := x.memory.texts.take(len(commas))[:0]
			for i, from := range commas {
				to := end
				if i+1 < len(commas) {
					to = commas[i+1]
				}
				list = append(list, x.joined(t, start, end, t.bytes[from+1:to], t.kinds[from+1:to]))
			}
			return list
		default:
			if values := series(string(t.bytes[start+1 : end])); values != nil {
				var list []text
				for _, value := range values {
					list = append(list, x.joined(t, start, end, []byte(value), make([]byte, len(value))))
				}
				return list
			}
		}
	}
	return nil
}

func (x *expander) joined(t text, start, end int, bytes, kinds []byte) text {
	size := start + len(bytes) + len(t.bytes) - (end + 1)
	room := x.memory.bytes.take(2 * size)
	one := t
	one.bytes = append(append(append(room[:0:size], t.bytes[:start]...), bytes...), t.bytes[end+1:]...)
	one.kinds = append(append(append(room[size:size], t.kinds[:start]...), kinds...), t.kinds[end+1:]...)
	return one
}

// maxSeries is how long a series of numbers may be of which each is looked at.
const maxSeries = 16

// series is what {1..3}, {c..a} and {1..9..2} stand for; nil: something else.
func series(inner string) []string {
	var from, to string
	for i := 1; i+1 < len(inner); i++ {
		if inner[i] == '.' && inner[i+1] == '.' {
			from, to = inner[:i], inner[i+2:]
			break
		}
	}
	if from == "" || to == "" {
		return nil
	}
	step := 1
	if end, by, found := strings.Cut(to, ".."); found {
		n, err := strconv.Atoi(by)
		if to = end; err != nil || to == "" {
			return nil
		}
		step = max(n, -n, 1)
	}
	if isLatin(from) && isLatin(to) {
		var list []string
		first, last := int(from[0]), int(to[0])
		if first > last {
			step = -step
		}
		for c := first; min(first, last) <= c && c <= max(first, last); c += step {
			list = append(list, string(rune(c)))
		}
		return list
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil {
		return nil
	}
	if first > last {
		step = -step
	}
	var list []string
	for n := first; len(list) <= maxSeries && (step > 0 && n <= last || step < 0 && n >= last); n += step {
		list = append(list, strconv.Itoa(n))
	}
	if len(list) > maxSeries { // of long ones the ends
		return []string{strconv.Itoa(first), strconv.Itoa(last)}
	}
	return list
}

// isLatin says whether a text is one letter.
func isLatin(text string) bool {
	return len(text) == 1 && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z')
}
