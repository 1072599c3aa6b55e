package models

import (
	"encoding/json"
	"time"
)

// Time is a moment in microseconds since 1970 UTC; 0 is "never". As an integer it
// sorts and compares alike in every database. In JSON it is RFC 3339 in UTC, or
// null for never.
type Time int64

// TimeOf converts; a zero time.Time is 0.
func TimeOf(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMicro())
}

// Now is the present moment.
func Now() Time { return TimeOf(time.Now()) }

// Std is the standard library's type; 0 is the zero time.Time.
func (t Time) Std() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(t)).UTC()
}

// IsZero says whether t is "never".
func (t Time) IsZero() bool { return t == 0 }

// MarshalJSON writes RFC 3339 in UTC, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(t.Std().Format(time.RFC3339Nano))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Time) UnmarshalJSON(data []byte) error {
	var std *time.Time
	if err := json.Unmarshal(data, &std); err != nil {
		return err
	}
	*t = 0
	if std != nil {
		*t = TimeOf(*std)
	}
	return nil
}
