package builtin

import (
	"encoding/json"
	"testing"

	"nanoclaw/internal/tools"
)

// BT3, TS3
func TestCalculatorAnswersItsResultAsText(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"12*(3+4)": `{"success":true,"data":{"result":"84"}}`,
		"0.1+0.2":  `{"success":true,"data":{"result":"0.3"}}`,
		"2**100":   `{"success":true,"data":{"result":"1267650600228229401496703205376"}}`,
		"1/0":      `{"success":false,"error":"at character 2: division by zero","code":"invalid_arguments"}`,
		"9**9**9":  `{"success":false,"error":"at character 2: the result has more than 10000 digits","code":"invalid_arguments"}`,
		"":         `{"success":false,"error":"invalid arguments: \"expression\" must not be empty","code":"invalid_arguments"}`,
	} {
		result := tools.Default().Execute(t.Context(), "calculator", tools.Call{},
			map[string]any{"expression": expression})
		if got, err := json.Marshal(result); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", expression, got, err, want)
		}
	}
}
