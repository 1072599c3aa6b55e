package api

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Optional is a field of a body that may be left out, be null, or have a value.
type Optional[T any] struct {
	Set   bool // it was in the body
	Null  bool
	Value T
}

// UnmarshalJSON is only called for a field that is there.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Set = true
	if bytes.Equal(data, []byte("null")) {
		o.Null = true
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

// Schema is the value's, or null.
func (o Optional[T]) Schema(r huma.Registry) *huma.Schema {
	schema := *r.Schema(reflect.TypeFor[T](), false, "")
	schema.Nullable = true
	return &schema
}

// shown is the value for the audit, nil where it was not in the body or null.
func (o Optional[T]) shown() any {
	if !o.Set || o.Null {
		return nil
	}
	return o.Value
}

// into copies the value where the field was in the body; null is the zero value.
func (o Optional[T]) into(target *T) {
	if o.Set {
		*target = o.Value
	}
}
