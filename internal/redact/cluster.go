package redact

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// cluster is what is redacted by one mark: finds that overlap.
type cluster struct {
	label            *label
	keep, start, end int
}

// merge joins overlapping finds, in order. Finds that only touch stay apart.
func merge(spans []span) []cluster {
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.label.rank, b.label.rank), cmp.Compare(b.end, a.end))
	})
	var clusters []cluster
	for _, s := range spans {
		if n := len(clusters); n > 0 && s.start < clusters[n-1].end {
			c := &clusters[n-1]
			c.end = max(c.end, s.end)
			c.keep = min(c.keep, s.keep)
			if stronger(s.label, c.label) {
				c.label = s.label
			}
			continue
		}
		clusters = append(clusters, cluster(s))
	}
	return clusters
}

// stronger says whether a names and redacts a cluster rather than b: the stricter
// strategy first, then what is known more exactly.
func stronger(a, b *label) bool {
	if a.strategy != b.strategy {
		return a.strategy.severity() > b.strategy.severity()
	}
	return a.rank < b.rank
}

// render returns text[from:to] with the clusters in it redacted.
func (r *ruleSet) render(text string, from, to int, clusters []cluster) string {
	var out strings.Builder
	out.Grow(to - from)
	at := from
	for _, c := range clusters {
		if c.end <= from || c.start >= to {
			continue
		}
		start := max(c.start, at)
		out.WriteString(text[at:start])
		out.WriteString(r.redact(c.label, text[start:c.end]))
		at = c.end
	}
	if at < to {
		out.WriteString(text[at:to])
	}
	return out.String()
}

// redact is what stands in the place of a secret.
func (r *ruleSet) redact(l *label, secret string) string {
	switch id := r.id(secret); {
	case id == "" && l.strategy == Mask:
		return mask(secret)
	case id == "":
		return markOpen + l.id + "]"
	case l.strategy == Mask:
		return markOpen + l.id + ":" + maskInMark(secret) + ":" + id + "]"
	default:
		return markOpen + l.id + ":" + id + "]"
	}
}

// id is a keyed digest of a secret: equal for equal secrets whatever rule found
// them, and without the key neither to be made nor to be tried. Empty: no key.
func (r *ruleSet) id(secret string) string {
	if len(r.key) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(secret))
	return hex.EncodeToString(mac.Sum(nil))[:idLength]
}

const (
	// masked is the middle of a masked secret, whatever its length was.
	masked = "********"
	// maskEnds is how many characters of a secret are kept at each end at most.
	maskEnds = 4
)

// mask keeps up to four characters at each end, and never more than a quarter
// of the secret in all.
func mask(secret string) string {
	keep := min(maskEnds, utf8.RuneCountInString(secret)/8)
	head, tail := 0, len(secret)
	for range keep {
		_, n := utf8.DecodeRuneInString(secret[head:])
		head += n
		_, n = utf8.DecodeLastRuneInString(secret[:tail])
		tail -= n
	}
	return secret[:head] + masked + secret[tail:]
}

// maskInMark is mask as far as the ends are characters that a mark may hold.
func maskInMark(secret string) string {
	keep := min(maskEnds, utf8.RuneCountInString(secret)/8)
	head, tail := 0, len(secret)
	for head < keep && inMaskEnd(secret[head]) {
		head++
	}
	for len(secret)-tail < keep && inMaskEnd(secret[tail-1]) {
		tail--
	}
	return secret[:head] + masked + secret[tail:]
}
