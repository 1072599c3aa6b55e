// Package nearest finds what a misspelt name was probably meant to be. It knows
// nothing of what is named.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Names is the names that a misspelt one was perhaps meant to be: at most the given
// number, the nearest first. Case, and - for _, count little.
func Names(misspelt string, names []string, most int) []string {
	type candidate struct {
		name     string
		distance int
	}
	plain := strings.NewReplacer("-", "_", " ", "_")
	fold := func(s string) string { return plain.Replace(strings.ToLower(s)) }
	wanted := fold(misspelt)
	if wanted == "" {
		return nil
	}
	var near []candidate
	for _, name := range names {
		folded := fold(name)
		distance := Distance(wanted, folded)
		if len(wanted) >= 3 && strings.Contains(folded, wanted) {
			distance = min(distance, 2)
		}
		if distance <= max(1, min(len(wanted), len(folded))/3) {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var found []string
	for _, c := range near[:min(most, len(near))] {
		found = append(found, c.name)
	}
	return found
}

// Name is the one name that was probably meant; empty: none is like it.
func Name(misspelt string, names []string) string {
	if near := Names(misspelt, names, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// maxLength of a text that is compared; no name is longer.
const maxLength = 100

// Distance is the number of bytes to insert, delete, replace or swap with their
// neighbour (optimal string alignment) to get from a to b. Of a text that no name
// could be, it is the greatest that there is.
func Distance(a, b string) int {
	if len(a) > maxLength || len(b) > maxLength {
		return maxLength
	}
	var rows [3][maxLength + 1]int
	older, old, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := old[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(old[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
