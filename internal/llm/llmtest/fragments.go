package llmtest

import (
	"fmt"
	"strings"
)

// fragments are the tool_calls fields of the chunks, one fragment in each.
func (a answer) fragments() []string {
	calls := a.reply.Calls
	if len(calls) == 0 {
		return nil
	}
	if a.reply.has(LegacyFunction) {
		return legacyFragments(calls[0])
	}
	perCall := make([][]string, len(calls))
	for i, call := range calls {
		perCall[i] = a.callFragments(i, call)
	}
	var ordered []string
	if a.reply.has(Interleaved) {
		for row := 0; len(ordered) < total(perCall); row++ {
			for _, fragments := range perCall {
				if row < len(fragments) {
					ordered = append(ordered, fragments[row])
				}
			}
		}
	} else {
		for _, fragments := range perCall {
			ordered = append(ordered, fragments...)
		}
	}
	if a.reply.has(EmptyTail) {
		ordered = append(ordered,
			fmt.Sprintf(`{"index":%d,"id":"","type":"function","function":{"name":"","arguments":""}}`, len(calls)-1))
	}
	if a.reply.has(EmptyFragment) {
		ordered = append(ordered,
			fmt.Sprintf(`{"index":%d,"id":"call_phantom","type":"function","function":{"arguments":""}}`, len(calls)))
	}
	for i := range ordered {
		ordered[i] = `"tool_calls":[` + ordered[i] + `]`
	}
	return ordered
}

func total(lists [][]string) int {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	return n
}

func (a answer) callFragments(i int, call Call) []string {
	if a.reply.has(ArgumentsObject) {
		return []string{a.fragment(i, call, 0, true, call.Arguments)}
	}
	pieces := split(call.Arguments, max(a.reply.ChunkRunes, 6))
	if a.reply.has(ArgumentsWhole) || len(pieces) == 0 {
		return []string{a.fragment(i, call, 0, true, jsonText(call.Arguments))}
	}
	fragments := []string{a.fragment(i, call, 0, true, `""`)}
	for n, piece := range pieces {
		fragments = append(fragments, a.fragment(i, call, n+1, false, jsonText(piece)))
	}
	return fragments
}

// fragment is the n-th fragment of the i-th call.
func (a answer) fragment(i int, call Call, n int, first bool, arguments string) string {
	var fields []string
	switch {
	case a.reply.has(IndexMissing):
	case a.reply.has(IndexZero):
		fields = append(fields, `"index":0`)
	default:
		fields = append(fields, fmt.Sprintf(`"index":%d`, i))
	}
	if id := a.callID(i, call, n); id != "" && (first || a.reply.has(IDRepeated) || a.reply.has(IDFresh)) {
		fields = append(fields, `"id":`+jsonText(id))
	}
	if !a.reply.has(TypeMissing) && (first || a.reply.has(TypeRepeated)) {
		fields = append(fields, `"type":"function"`)
	}
	function := `"arguments":` + arguments
	if first || a.reply.has(NameRepeated) {
		function = `"name":` + jsonText(call.Name) + `,` + function
	}
	fields = append(fields, `"function":{`+function+`}`)
	if first && len(call.Extra) > 0 {
		fields = append(fields, `"extra_content":`+string(call.Extra))
	}
	return `{` + strings.Join(fields, ",") + `}`
}

func (a answer) callID(i int, call Call, n int) string {
	switch {
	case a.reply.has(IDMissing):
		return ""
	case a.reply.has(IDsEqual):
		return "call_same"
	case a.reply.has(IDFresh):
		return fmt.Sprintf("call_%d_%d", i, n)
	case call.ID != "":
		return call.ID
	}
	return fmt.Sprintf("call_%d_%d", a.request.N, i)
}

func legacyFragments(call Call) []string {
	fragments := []string{`"function_call":{"name":` + jsonText(call.Name) + `,"arguments":""}`}
	for _, piece := range split(call.Arguments, 6) {
		fragments = append(fragments, `"function_call":{"arguments":`+jsonText(piece)+`}`)
	}
	return fragments
}
