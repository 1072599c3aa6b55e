package store

import (
	"encoding/base64"
	"encoding/json"
	"math"

	"gorm.io/gorm"
)

// Limits of lists.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// Page says which part of a list is wanted. Limit 0 is DefaultLimit; more than
// MaxLimit is MaxLimit. Cursor is the Next of the part before, empty for the first.
type Page struct {
	Limit  int
	Cursor string
}

// List is a part of a list. Next is the cursor of the following part, empty at the end.
type List[T any] struct {
	Items []T
	Next  string
}

func (p Page) limit() (int, error) {
	switch {
	case p.Limit < 0:
		return 0, invalid("limit is %d, but must not be negative", p.Limit)
	case p.Limit == 0:
		return DefaultLimit, nil
	}
	return min(p.Limit, MaxLimit), nil
}

// position is the place of a row in a list: At and ID in a list by time, No alone
// in a list by number, Name alone in a list by unique names.
type position struct {
	At   int64  `json:"a,omitempty"`
	ID   string `json:"i,omitempty"`
	No   int64  `json:"n,omitempty"`
	Name string `json:"s,omitempty"`
}

func (p position) cursor() string {
	data, err := json.Marshal(p)
	if err != nil {
		panic("a position of numbers and texts has no JSON: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// byTime reads the cursor of a list by time; nil is the beginning.
func (p Page) byTime() (*position, error) {
	return p.position(func(at position) bool { return at.ID != "" && at.No == 0 })
}

// byNumber reads the cursor of a list by descending numbers: the number above all
// that are wanted.
func (p Page) byNumber() (int64, error) {
	at, err := p.position(func(at position) bool { return at.No > 0 && at.ID == "" })
	if err != nil || at == nil {
		return math.MaxInt64, err
	}
	return at.No, nil
}

// byName reads the cursor of a list by names: the last one that was shown, empty at the
// beginning.
func (p Page) byName() (string, error) {
	at, err := p.position(func(at position) bool { return at.Name != "" })
	if err != nil || at == nil {
		return "", err
	}
	return at.Name, nil
}

func (p Page) position(valid func(position) bool) (*position, error) {
	if p.Cursor == "" {
		return nil, nil
	}
	var at position
	data, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err == nil {
		err = json.Unmarshal(data, &at)
	}
	if err != nil || !valid(at) {
		return nil, invalid("the cursor %.100q is none of this list: leave it out to begin again", p.Cursor)
	}
	return &at, nil
}

// cutPage makes a List of up to limit+1 rows, of which the last one only shows
// that there are more.
func cutPage[T any](rows []T, limit int, at func(T) position) List[T] {
	if len(rows) <= limit {
		return List[T]{Items: rows}
	}
	rows = rows[:limit]
	return List[T]{Items: rows, Next: at(rows[limit-1]).cursor()}
}

// lastChanged reads one page of rows with updated_at and id, last changed first.
func lastChanged[T any](db *gorm.DB, page Page, at func(T) position) (List[T], error) {
	limit, err := page.limit()
	if err != nil {
		return List[T]{}, err
	}
	after, err := page.byTime()
	if err != nil {
		return List[T]{}, err
	}
	if after != nil {
		db = db.Where("(updated_at < ? OR updated_at = ? AND id < ?)", after.At, after.At, after.ID)
	}
	var rows []T
	if err := db.Order("updated_at DESC, id DESC").Limit(limit + 1).Find(&rows).Error; err != nil {
		return List[T]{}, err
	}
	return cutPage(rows, limit, at), nil
}
