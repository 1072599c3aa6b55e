package redact

// hexKeys is the shape of keys that a service knows by the end: n hexadecimal
// digits, then the suffix, and up to number digits.
func hexKeys(rule, suffix string, n, number int) shape {
	return shape{[]string{rule}, rankToken, func(labels map[string]*label) *detector {
		return hexWithSuffix(labels[rule], suffix, n, number)
	}}
}

// hexWithSuffix finds exactly n lower case hexadecimal digits, the suffix, and up
// to number digits, one at least where there may be any.
func hexWithSuffix(label *label, suffix string, n, number int) *detector {
	if label == nil {
		return nil
	}
	isHexDigit := func(c byte) bool { return is(c, isDigit) || is(c, isLower) && is(c, isHexLetter) }
	runBefore := func(text string, end int) int {
		i := end
		for i > 0 && end-i <= n && isHexDigit(text[i-1]) {
			i--
		}
		return i
	}
	d := &detector{keywords: []string{suffix}, holds: holdsNothing}
	d.find = func(sc *scan, start, end int) {
		from := runBefore(sc.text, start)
		if sc.text[start:end] != suffix || start-from != n || !boundaryBefore(sc.text, from) {
			return
		}
		to := runEnd(sc.text, end, isDigit)
		if sc.atEnd(to) {
			sc.undecided(from, from)
			return
		}
		if number > 0 && (to == end || to-end > number) || !boundaryAfter(sc.text, to) {
			return
		}
		sc.found(label, from, from, to)
	}
	d.tail = func(sc *scan) {
		end := len(sc.text)
		for i := len(suffix) - 1; i >= 0; i-- { // the suffix may be begun
			if cut := end - i; cut > 0 && sc.text[cut:] == suffix[:i] {
				if from := runBefore(sc.text, cut); from < cut && (i == 0 || cut-from == n) && cut-from <= n &&
					boundaryBefore(sc.text, from) {
					sc.undecided(from, from)
					return
				}
			}
		}
	}
	return d
}
