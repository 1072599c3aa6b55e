package shellsyntax

import (
	"bytes"
	"strconv"
)

// braces expands {a,b} and short {1..3}; what would be too much stays as it is.
func braces(t text) []text {
	if bytes.IndexByte(t.bytes, '{') < 0 {
		return []text{t}
	}
	done := []text{}
	open := []text{t}
	for len(open) > 0 {
		if len(done)+len(open) > maxFields {
			return append(done, open...)
		}
		next := open[0]
		open = open[1:]
		expanded := braceOnce(next)
		if expanded == nil {
			done = append(done, next)
			continue
		}
		open = append(expanded, open...)
	}
	return done
}

// braceOnce expands the first brace of a text; nil: there is none.
func braceOnce(t text) []text {
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
			var list []text
			for i, from := range commas {
				to := end
				if i+1 < len(commas) {
					to = commas[i+1]
				}
				list = append(list, joined(t, start, end, t.bytes[from+1:to], t.kinds[from+1:to]))
			}
			return list
		default:
			if values := series(string(t.bytes[start+1 : end])); values != nil {
				var list []text
				for _, value := range values {
					list = append(list, joined(t, start, end, []byte(value), make([]byte, len(value))))
				}
				return list
			}
		}
	}
	return nil
}

func joined(t text, start, end int, bytes, kinds []byte) text {
	one := text{guess: t.guess, breaks: t.breaks}
	one.bytes = append(append(append(one.bytes, t.bytes[:start]...), bytes...), t.bytes[end+1:]...)
	one.kinds = append(append(append(one.kinds, t.kinds[:start]...), kinds...), t.kinds[end+1:]...)
	return one
}

// series is what {1..3} and {a..c} stand for; nil: something else, or too much.
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
	if len(from) == 1 && len(to) == 1 && !isDigit(from[0], 10) && from[0] <= to[0] && to[0]-from[0] < 26 {
		var list []string
		for c := from[0]; c <= to[0]; c++ {
			list = append(list, string(c))
		}
		return list
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || last < first || last-first >= 16 {
		return nil
	}
	var list []string
	for n := first; n <= last; n++ {
		list = append(list, strconv.Itoa(n))
	}
	return list
}
