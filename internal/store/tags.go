package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// TagCount is a tag and how many conversations have it.
type TagCount struct {
	Name          string
	Conversations int
}

// SameTag says whether two tags differ in nothing but upper and lower case.
func SameTag(a, b string) bool { return strings.EqualFold(a, b) }

var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// tagged selects conversations with a tag: in the JSON array each stands between quotes.
func tagged(db *gorm.DB, tag string) *gorm.DB {
	// A string is always encoded.
	element, _ := json.Marshal(tag)
	return db.Where(`lower(tags) LIKE lower(?) ESCAPE '\'`, "%"+likeLiteral.Replace(string(element))+"%")
}

// Tags are those of the conversations that the user may reach and that are not archived, by name. Of names that differ
// in upper and lower case alone the first counts.
func (s *Store) Tags(ctx context.Context, userID string) ([]TagCount, error) {
	var rows []struct {
		Tags  []string `gorm:"serializer:json"`
		Count int
	}
	err := ofConversations(s.read(ctx).Model(&models.Conversation{}), userID).Select("tags, COUNT(*) AS count").
		Where("NOT hidden AND NOT archived AND tags NOT IN ('[]', 'null')").Group("tags").Order("tags").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list tags: %w", err)
	}
	var counts []TagCount
	for _, row := range rows {
		for _, tag := range row.Tags {
			at := slices.IndexFunc(counts, func(one TagCount) bool { return SameTag(one.Name, tag) })
			if at < 0 {
				at = len(counts)
				counts = append(counts, TagCount{Name: tag})
			}
			counts[at].Conversations += row.Count
		}
	}
	slices.SortFunc(counts, func(a, b TagCount) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return counts, nil
}
