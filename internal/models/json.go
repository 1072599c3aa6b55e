package models

import (
	"database/sql/driver"
	"fmt"
)

// RawJSON is JSON text in a text column; empty is "nothing", and null in JSON.
type RawJSON []byte

// Value stores text.
func (j RawJSON) Value() (driver.Value, error) { return string(j), nil }

// Scan reads text.
func (j *RawJSON) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*j = nil
	case string:
		*j = RawJSON(v)
	case []byte:
		*j = append(RawJSON(nil), v...)
	default:
		return fmt.Errorf("read a JSON column: it holds %T, not text", src)
	}
	return nil
}

// MarshalJSON writes the text itself.
func (j RawJSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON keeps the text itself.
func (j *RawJSON) UnmarshalJSON(data []byte) error {
	*j = append((*j)[:0], data...)
	return nil
}

// GormDataType makes it a text column in every database.
func (RawJSON) GormDataType() string { return "text" }
