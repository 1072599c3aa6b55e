package builtin

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"nanoclaw/internal/tools"
)

const (
	maxPattern = 1000 // bytes
	// scanSteps bounds one pass over the text: instructions of the expression
	// times bytes. A step takes up to 30 ns.
	scanSteps = 50_000_000
	// totalSteps bounds all matches together, since each may look at the whole
	// rest of the text.
	totalSteps = 50_000_000
	// quick is what a search may take that is worth repeating for more matches.
	quick = 250 * time.Millisecond
	// maxGroups bounds the places of all matches and their groups, 16 bytes each.
	maxGroups = 4_000_000
)

// replace sets the result of the operation replace.
func (r *textProcessResult) replace(args textProcessArgs) error {
	if args.Pattern == "" {
		return tools.Errorf(tools.CodeInvalidArguments, "replace needs pattern: what to find")
	}
	if len(args.Replacement) > maxProcessText {
		return tools.Errorf("too_large", "the replacement has %d bytes; at most %d are taken", len(args.Replacement),
			maxProcessText)
	}
	if !args.Regex {
		count := strings.Count(args.Text, args.Pattern)
		if len(args.Text)+count*(len(args.Replacement)-len(args.Pattern)) > maxProcessOutput {
			return errTooMuchText
		}
		r.Result, r.Count = strings.ReplaceAll(args.Text, args.Pattern, args.Replacement), &count
		return nil
	}
	expression, matches, all, err := findAll(args.Pattern, args.Text, time.Now)
	if err != nil {
		return err
	}
	if !all {
		return tools.Errorf("too_large",
			"the pattern has more than %d matches, too many for a pattern that takes this long: use a simpler "+
				"pattern or a shorter text", len(matches))
	}
	if groups := strings.IndexByte(args.Replacement, '$'); groups >= 0 &&
		len(matches)*(len(args.Replacement)-groups) > totalSteps {
		return tools.Errorf("too_large",
			"the pattern has %d matches, too many for a replacement with %d bytes of groups", len(matches),
			len(args.Replacement)-groups)
	}
	var out []byte
	end := 0
	for _, match := range matches {
		out = append(out, args.Text[end:match[0]]...)
		end = match[1]
		for template := args.Replacement; template != ""; {
			piece := templatePiece(template)
			template = template[len(piece):]
			out = expression.ExpandString(out, piece, args.Text, match)
			if len(out) > maxProcessOutput {
				return errTooMuchText
			}
		}
		if len(out) > maxProcessOutput {
			return errTooMuchText
		}
	}
	count := len(matches)
	r.Result, r.Count = string(out)+args.Text[end:], &count
	return nil
}

// templatePiece is the beginning of a replacement that puts in one group at most:
// each piece may make the result longer by the whole text.
func templatePiece(template string) string {
	if strings.HasPrefix(template, "$$") {
		return template[:2]
	}
	if next := strings.IndexByte(template[1:], '$'); next >= 0 {
		return template[:next+1]
	}
	return template
}

var errTooMuchText = tools.Errorf("too_large", "the result would be longer than %d bytes", maxProcessOutput)

// extract sets the result of the operation regex_extract, in the form of
// Python's re.findall.
func (r *textProcessResult) extract(args textProcessArgs) error {
	if args.Pattern == "" {
		return tools.Errorf(tools.CodeInvalidArguments, "regex_extract needs pattern: an RE2 expression")
	}
	expression, matches, all, err := findAll(args.Pattern, args.Text, time.Now)
	if err != nil {
		return err
	}
	count, size := len(matches), 0
	r.Count, r.Truncated = &count, !all
	single, several := []string{}, [][]string{}
	for _, match := range matches {
		groups := groupsOf(args.Text, match)
		for _, group := range groups {
			size += len(group) + 4
		}
		if size > maxProcessOutput || len(single)+len(several) == maxProcessItems {
			r.Truncated = true
			break
		}
		if len(groups) > 2 {
			several = append(several, groups[1:])
		} else {
			single = append(single, groups[len(groups)-1])
		}
	}
	r.Result = single
	if expression.NumSubexp() > 1 {
		r.Result = several
	}
	if !all {
		r.Note = "there are more matches; the search was stopped because the pattern takes long"
	}
	return nil
}

// groupsOf is a match and its groups; one that took no part is "".
func groupsOf(text string, match []int) []string {
	groups := make([]string, 0, len(match)/2)
	for i := 0; i < len(match); i += 2 {
		if match[i] < 0 {
			groups = append(groups, "")
			continue
		}
		groups = append(groups, text[match[i]:match[i+1]])
	}
	return groups
}

// findAll finds the matches of an RE2 expression, or as many as the bounds
// allow. Such an expression never backtracks, but it may look at the whole rest
// of the text for each match, and nothing can stop it meanwhile: so the number of
// matches is bounded by what they may cost, and raised while that was quick.
func findAll(pattern, text string,
	now func() time.Time) (expression *regexp.Regexp, matches [][]int, all bool, err error) {
	if len(pattern) > maxPattern {
		return nil, nil, false, tools.Errorf(tools.CodeInvalidArguments, "the pattern is longer than %d bytes",
			maxPattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, nil, false, tools.Errorf(tools.CodeInvalidArguments,
			"the pattern is no RE2 expression: %v (lookaround and backreferences do not exist)", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, nil, false, tools.Errorf(tools.CodeInvalidArguments, "the pattern is no RE2 expression: %v", err)
	}
	scan := len(program.Inst) * (len(text) + 1)
	if scan > scanSteps {
		return nil, nil, false, tools.Errorf("too_large",
			"the pattern is too large for a text of %d bytes: use a simpler pattern or a shorter text", len(text))
	}
	expression, err = regexp.Compile(pattern)
	if err != nil {
		return nil, nil, false, tools.Errorf(tools.CodeInvalidArguments, "the pattern is no RE2 expression: %v", err)
	}
	room := max(1, maxGroups/(expression.NumSubexp()+1))
	for most := min(room, max(1, totalSteps/scan)); ; most = min(room, most*4) {
		begin := now()
		matches = expression.FindAllStringSubmatchIndex(text, most)
		if len(matches) < most {
			return expression, matches, true, nil
		}
		if most == room || now().Sub(begin) > quick {
			return expression, matches, false, nil
		}
	}
}
