package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/tools"
	"nanoclaw/internal/tools/builtin/calc"
)

//go:embed calculator.md
var calculatorDoc string

func init() {
	tools.Register(tools.Define("calculator", calculatorDoc, calculate,
		tools.Category("data"), tools.Effect(tools.Pure)))
}

type calculatorArgs struct {
	Expression string `json:"expression" jsonschema:"what to calculate, for example 12*(3+4) or sqrt(2)/3" minLength:"1"`
}

type calculatorResult struct {
	Result string `json:"result"` // text, so that no digit is lost on the way
}

func calculate(_ context.Context, _ tools.Call, args calculatorArgs) (calculatorResult, error) {
	result, err := calc.Evaluate(args.Expression)
	if err != nil {
		return calculatorResult{}, tools.Errorf(tools.CodeInvalidArguments, "%v", err)
	}
	return calculatorResult{Result: result}, nil
}
