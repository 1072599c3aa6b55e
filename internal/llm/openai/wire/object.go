package wire

import "encoding/json"

// Object splits a JSON object into its fields, which point into data, in one
// pass. Keys with escapes keep them.
func Object(data []byte) (map[string]json.RawMessage, error) {
	s := scanner{data: data}
	fields := make(map[string]json.RawMessage, 16)
	s.open('{')
	for s.more('}') {
		key := string(s.key())
		fields[key] = s.raw()
	}
	s.end()
	return fields, s.err
}
