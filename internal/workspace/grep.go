package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxGrepPattern = 4096
	sniffLength    = 8000    // bytes that are looked at to know a binary file
	searchedLine   = 1 << 20 // bytes of a line that are searched
)

// grep is one search over many files, whatever file system they come from.
type grep struct {
	re     *regexp.Regexp
	opts   GrepOptions
	result GrepResult
	in     *bufio.Reader // of one file after the other
}

// newGrep compiles a search, with its limits brought into their ranges.
func newGrep(opts GrepOptions) (*grep, error) {
	if opts.Pattern == "" || len(opts.Pattern) > maxGrepPattern {
		return nil, Errorf(CodeInvalidArgument, "", "the pattern must have 1 to %d bytes", maxGrepPattern)
	}
	if opts.Context < 0 || opts.MaxResults < 0 {
		return nil, Errorf(CodeInvalidArgument, "", "the number of lines or results must not be negative")
	}
	if err := checkGlob(opts.Glob); err != nil {
		return nil, err
	}
	if opts.MaxResults == 0 {
		opts.MaxResults = DefaultGrepResults
	}
	opts.MaxResults = min(opts.MaxResults, MaxGrepResults)
	opts.Context = min(opts.Context, MaxGrepContext)

	expression := opts.Pattern
	if opts.Literal {
		expression = regexp.QuoteMeta(expression)
	}
	if !opts.CaseSensitive {
		expression = "(?i)" + expression
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, &Error{Code: CodeInvalidArgument, Err: err,
			Message: "the pattern is not a valid RE2 expression (put a backslash before characters like ( [ { . * + " +
				"that stand for themselves): " + err.Error()}
	}
	return &grep{re: re, opts: opts, result: GrepResult{Matches: []Match{}}}, nil
}

// file searches one file. It returns errStop when there are more matches than
// wanted. A binary file is counted as skipped.
func (g *grep) file(ctx context.Context, path string, r io.Reader) error {
	if g.in == nil {
		g.in = bufio.NewReaderSize(nil, 64<<10)
	}
	in := g.in
	in.Reset(contextReader{ctx, r})
	head, err := in.Peek(sniffLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if IsBinary(head) {
		g.result.FilesSkipped++
		return nil
	}
	g.result.FilesSearched++
	return g.lines(path, in)
}

// IsBinary says whether a content that begins like this is no text, so that searches
// skip it.
func IsBinary(head []byte) bool {
	return bytes.IndexByte(head[:min(len(head), sniffLength)], 0) >= 0
}

func (g *grep) lines(path string, in *bufio.Reader) error {
	var before []string // the last lines, at most Context
	first := len(g.result.Matches)
	for number := 1; ; number++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		g.addAfter(first, number, line)
		if at := g.re.FindIndex(line); at != nil {
			if len(g.result.Matches) == g.opts.MaxResults {
				g.result.Truncated = true
				return errStop
			}
			g.result.Matches = append(g.result.Matches, Match{
				Path:   path,
				Line:   number,
				Column: utf8.RuneCount(line[:at[0]]) + 1,
				Text:   cutLine(line, at[0], at[1]),
				Before: append([]string(nil), before...),
			})
		}
		if g.opts.Context > 0 {
			if len(before) == g.opts.Context {
				before = before[1:]
			}
			before = append(before, cutLine(line, 0, 0))
		}
	}
}

// addAfter gives a line to the matches of this file that it follows closely.
func (g *grep) addAfter(first, number int, line []byte) {
	for i := len(g.result.Matches) - 1; i >= first; i-- {
		match := &g.result.Matches[i]
		if number-match.Line > g.opts.Context {
			return
		}
		match.After = append(match.After, cutLine(line, 0, 0))
	}
}

// readLine returns the next line without its end, at most searchedLine bytes of
// it, and io.EOF after the last one. The line is valid until the next call.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := append([]byte(nil), line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = in.ReadSlice('\n')
			if room := searchedLine - len(long); room > 0 {
				long = append(long, line[:min(room, len(line))]...)
			}
		}
		line = long
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), err
}

// cutLine shortens a line to MaxGrepLine bytes that show the match.
func cutLine(line []byte, start, end int) string {
	if len(line) <= MaxGrepLine {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	from := max(0, min(start-(MaxGrepLine-min(end-start, MaxGrepLine))/2, len(line)-MaxGrepLine))
	to := from + MaxGrepLine
	for from > 0 && from < to && !utf8.RuneStart(line[from]) {
		from++
	}
	for to < len(line) && to > from && !utf8.RuneStart(line[to]) {
		to--
	}
	text := strings.ToValidUTF8(string(line[from:to]), "\uFFFD")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
