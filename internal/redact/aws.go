package redact

// awsSecretKeys finds the secret that stands near an access key's id: 40
// characters of base64 that nothing else tells apart.
func awsSecretKeys(labels map[string]*label) *detector {
	label := labels["aws-secret-key"]
	if label == nil {
		return nil
	}
	const idLength, secretLength, reach = 20, 40, 160
	return &detector{
		keywords: []string{"AKIA", "ASIA"},
		find: func(l *look, start, end int) {
			id := runEnd(l.text, start, isUpper|isDigit)
			if l.atEnd(id) && id-start <= idLength {
				l.undecided(start, len(l.text))
				return
			}
			if id-start != idLength || !boundaryBefore(l.text, start) || !boundaryAfter(l.text, id) {
				return
			}
			limit := min(len(l.text), id+reach)
			for at := id; at < limit; {
				from := at
				for at < len(l.text) && at-from <= secretLength && (is(l.text[at], isAlnum) || l.text[at] == '/' ||
					l.text[at] == '+') {
					at++
				}
				if l.atEnd(at) {
					l.undecided(start, from)
					return
				}
				if word := l.text[from:at]; len(word) == secretLength && boundaryAfter(l.text, at) &&
					boundaryBefore(l.text, from) {
					if p := profileOf(word); p.random() && p.uppers > 0 && p.lowers > 0 && p.digits > 0 &&
						!elided(word) {
						l.found(label, start, from, at)
					}
				}
				at = max(at, from+1)
			}
			if l.open && limit == len(l.text) {
				l.undecided(start, len(l.text))
			}
		},
	}
}
