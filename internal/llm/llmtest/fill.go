package llmtest

import (
	"encoding/json"
	"slices"
	"strings"
)

// filled returns the reply with its placeholders replaced from the request.
func (r Reply) filled(req Request) Reply {
	values := map[string]string{
		"{{user}}": req.User(), "{{last}}": req.Last().Text, "{{system}}": req.System(),
	}
	var plain, escaped []string
	for name, value := range values {
		plain = append(plain, name, value)
		escaped = append(escaped, name, jsonInner(value))
	}
	if strings.Contains(r.Text, "{{") {
		r.Text = strings.NewReplacer(plain...).Replace(r.Text)
	}
	for i, call := range r.Calls {
		if strings.Contains(call.Arguments, "{{") {
			r.Calls = slices.Clone(r.Calls)
			r.Calls[i].Arguments = strings.NewReplacer(escaped...).Replace(call.Arguments)
		}
	}
	return r
}

// jsonInner is what stands between the quotes of a JSON string.
func jsonInner(text string) string {
	quoted := jsonText(text)
	return quoted[1 : len(quoted)-1]
}

// jsonText is a JSON string. Marshalling a string cannot fail.
func jsonText(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}
