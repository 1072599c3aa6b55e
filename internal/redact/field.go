package redact

import "strings"

// field redacts secrets in the value of a named field: what its name promises
// counts as it does in a text.
func (r *ruleSet) field(name, value string) string {
	if name == "" || value == "" || r.detectors == nil {
		return r.string(value)
	}
	if label := r.promised(name, value); label != nil {
		return r.redact(label, value)
	}
	if holdsHeader(name) {
		// As a line of a header, whose name the rules read.
		line := name + ": " + value
		if redacted, ok := strings.CutPrefix(r.string(line), name+": "); ok {
			return redacted
		}
	}
	return r.string(value)
}

// promised is the label of a value that is a secret because of its name, or nil.
func (r *ruleSet) promised(name, value string) *label {
	kind := kindOf(name)
	label := r.secret
	if kind == passwordName {
		label = r.password
	}
	if kind == harmless || label == nil || strings.HasPrefix(value, markOpen) {
		return nil
	}
	a := assignment{scan: &scan{text: value}, kind: kind, bare: isBarePass(name), form: sepColon, quotedName: true,
		quoted: true, valueEnd: len(value), next: len(value)}
	if !a.isSecret() {
		return nil
	}
	return label
}

func holdsHeader(name string) bool {
	for _, header := range [...]string{"authorization", "cookie", "set-cookie"} {
		if strings.EqualFold(name, header) {
			return true
		}
	}
	return false
}
