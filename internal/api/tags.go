package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/store"
)

const (
	maxTags = 20
	maxTag  = 50 // characters
)

// Tag is a word by which people find conversations again.
type Tag struct {
	Name          string `json:"name"`
	Conversations int    `json:"conversations" doc:"How many have it, without those that are archived."`
}

func (s *server) registerTags() {
	handle(s, op("GET", "/tags", "list-tags", "Conversations", "Tags of conversations, by name"), s.listTags)
}

func (s *server) listTags(ctx context.Context, _ *struct{}) (*listOutput[Tag], error) {
	counts, err := s.Store.Tags(ctx, currentUser(ctx))
	if err != nil {
		return nil, err
	}
	list := make([]Tag, len(counts))
	for i, one := range counts {
		list[i] = Tag(one)
	}
	return &listOutput[Tag]{wholeList(list)}, nil
}

// checkTags gives the tags without blanks around them, empty ones and repetitions.
func checkTags(given []string) ([]string, error) {
	tags := []string{}
	for _, tag := range given {
		tag = strings.Join(strings.Fields(tag), " ")
		known := slices.ContainsFunc(tags, func(one string) bool { return store.SameTag(one, tag) })
		if tag == "" || known {
			continue
		}
		if utf8.RuneCountInString(tag) > maxTag {
			return nil, invalidField("body.tags", fmt.Sprintf("the tag %s is longer than %d characters", quoted(tag), maxTag))
		}
		tags = append(tags, tag)
	}
	if len(tags) > maxTags {
		return nil, invalidField("body.tags", fmt.Sprintf("there are %d tags: give at most %d", len(tags), maxTags))
	}
	return tags, nil
}
