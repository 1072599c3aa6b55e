package skills

import (
	"fmt"
	"testing"
)

// SK1: what a hundred skills of a project cost each run.
func BenchmarkListing(b *testing.B) {
	files := map[string]string{}
	for i := range 100 {
		name := fmt.Sprintf("skill-%d", i)
		files["skills/"+name+"/SKILL.md"] = skillText(name, "Does something useful with files of this kind")
	}
	s, _ := newService(b, files)
	s.Limits = func() Limits { return Limits{FileSize: 64 << 10, Count: 100, ListingSize: 16 << 10} }
	for b.Loop() {
		if listing, err := s.Listing(b.Context(), inProject); err != nil || listing == "" {
			b.Fatal(err)
		}
	}
}
