package tools

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest finds the names that a misspelt one was perhaps meant to be: at most
// the given number, the nearest first. Case, and - for _, count little.
func Nearest(misspelt string, names []string, most int) []string {
	type candidate struct {
		name     string
		distance int
	}
	plain := strings.NewReplacer("-", "_", " ", "_")
	fold := func(s string) string { return plain.Replace(strings.ToLower(s)) }
	wanted := fold(misspelt)
	if wanted == "" || len(wanted) > 100 {
		return nil
	}
	var near []candidate
	for _, name := range names {
		folded := fold(name)
		distance := editDistance(wanted, folded)
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

// editDistance counts the bytes to insert, delete or replace to get from a to b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
