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
		find: func(sc *scan, start, end int) {
			id := runEnd(sc.text, start, isUpper|isDigit)
			if sc.atEnd(id) && id-start <= idLength {
				sc.undecided(start, len(sc.text))
				return
			}
			if id-start != idLength || !boundaryBefore(sc.text, start) || !boundaryAfter(sc.text, id) {
				return
			}
			limit := min(len(sc.text), id+reach)
			for at := id; at < limit; {
				from := at
				for at < len(sc.text) && at-from <= secretLength && (is(sc.text[at], isAlnum) || sc.text[at] == '/' ||
					sc.text[at] == '+') {
					at++
				}
				if sc.atEnd(at) {
					sc.undecided(start, from)
					return
				}
				if word := sc.text[from:at]; len(word) == secretLength && boundaryAfter(sc.text, at) &&
					boundaryBefore(sc.text, from) {
					if p := profileOf(word); p.random() && p.uppers > 0 && p.lowers > 0 && p.digits > 0 &&
						!elided(word) {
						sc.found(label, start, from, at)
					}
				}
				at = max(at, from+1)
			}
			if sc.open && limit == len(sc.text) {
				sc.undecided(start, len(sc.text))
			}
		},
	}
}
