package api

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"nanoclaw/internal/store"
)

// PageInput are the parameters of every list.
type PageInput struct {
	Limit  int    `query:"limit" minimum:"1" doc:"Items in the answer, at most. More than the greatest number of the list is that number."`
	Cursor string `query:"cursor" doc:"next_cursor of the answer before. Leave it out to begin."`
}

func (p PageInput) page() store.Page { return store.Page{Limit: p.Limit, Cursor: p.Cursor} }

// List is one part of a list.
type List[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor" doc:"Of the following part; null at the end."`
}

// newList shows a part of a stored list.
func newList[T, R any](part store.List[R], show func(*R) T) *List[T] {
	list := &List[T]{Items: make([]T, len(part.Items))}
	for i := range part.Items {
		list.Items[i] = show(&part.Items[i])
	}
	if part.Next != "" {
		list.NextCursor = &part.Next
	}
	return list
}

// wholeList shows a list that has one part.
func wholeList[T any](items []T) *List[T] {
	if items == nil {
		items = []T{}
	}
	return &List[T]{Items: items}
}

// cut takes a part out of a list that is read as a whole. Its cursor is a place,
// marked so that a cursor of another list is refused.
func cut[T any](items []T, p PageInput, mark string, greatest int) (*List[T], error) {
	from := 0
	if p.Cursor != "" {
		text, err := base64.RawURLEncoding.DecodeString(p.Cursor)
		place, ok := strings.CutPrefix(string(text), mark+":")
		if err == nil && ok {
			from, err = strconv.Atoi(place)
		}
		if err != nil || !ok || from < 0 {
			return nil, invalidField("query.cursor",
				fmt.Sprintf("the cursor %.100q is none of this list: leave it out to begin again", p.Cursor))
		}
	}
	limit := p.Limit
	if limit <= 0 || limit > greatest {
		limit = greatest
	}
	from = min(from, len(items))
	to := min(from+limit, len(items))
	list := wholeList(items[from:to:to])
	if to < len(items) {
		next := base64.RawURLEncoding.EncodeToString([]byte(mark + ":" + strconv.Itoa(to)))
		list.NextCursor = &next
	}
	return list, nil
}
