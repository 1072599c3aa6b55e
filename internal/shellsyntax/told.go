package shellsyntax

import "slices"

// told is a command with its texts as rules look at them. What is made for one
// command is used again for the next one.
type told struct {
	*Command
	*budget
	writes, reads, settings []subject // the first two without detours

	text      subject // of all arguments
	joined    []byte
	arguments []subject // without detours
	firstArg  subject
	flags     bool // there are words that begin with -

	hasText, hasArgs, hasFirst bool
}

func (t *told) tell(c *Command, b *budget) {
	t.budget = b
	t.Command, t.hasText, t.hasArgs, t.hasFirst = c, false, false, false
	t.flags = slices.ContainsFunc(c.Words, func(w Word) bool { return len(w.Value) > 1 && w.Value[0] == '-' })
	t.writes = subjectsOf(t.writes, c.WritesTo, true)
	t.reads = subjectsOf(t.reads, c.ReadsFrom, true)
	t.settings = subjectsOf(t.settings, c.Settings, false)
}

// line is the arguments in one line.
func (t *told) line() *subject {
	if !t.hasText {
		t.hasText = true
		if len(t.Words) == 2 {
			t.text = subjectOf(t.Words[1].Value)
			return &t.text
		}
		t.joined = appendLine(t.joined[:0], t.Command)
		t.text = subjectOf(string(t.joined))
	}
	return &t.text
}

// first is the argument that Command.first finds.
func (t *told) first() *subject {
	if !t.hasFirst {
		t.hasFirst, t.firstArg = true, subjectOf(t.Command.first())
	}
	return &t.firstArg
}

func (t *told) hasFlag(flag string) bool { return t.flags && t.Command.hasFlag(flag) }

// given are the arguments.
func (t *told) given() []subject {
	if !t.hasArgs {
		t.hasArgs = true
		t.arguments = subjectsOf(t.arguments, t.Words[min(1, len(t.Words)):], true)
	}
	return t.arguments
}

// subjectsOf are the texts of words, in the place of those of a list.
func subjectsOf(list []subject, words []Word, clean bool) []subject {
	list = list[:0]
	for _, w := range words {
		text := w.Value
		if clean {
			text = cleaned(text)
		}
		list = append(list, subjectOf(text))
	}
	return list
}

func (t *told) reset() {
	*t = told{
		joined: emptied(t.joined, 64<<10), writes: emptied(t.writes, 256), reads: emptied(t.reads, 256),
		settings: emptied(t.settings, 256), arguments: emptied(t.arguments, 1024),
	}
}
