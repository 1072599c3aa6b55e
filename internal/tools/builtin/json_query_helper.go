package builtin

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/itchyny/gojq"

	"nanoclaw/internal/tools"
)

// answerJQ runs a jq program. It is called in the helper process alone.
func answerJQ(in []byte) (any, error) {
	var task jqTask
	if err := json.Unmarshal(in, &task); err != nil {
		return nil, fmt.Errorf("read the task: %w", err)
	}
	value, err := parseJSON("json_string", task.Text)
	if err != nil {
		return failedJQ(tools.CodeOf(err), err.Error()), nil
	}
	parsed, err := gojq.Parse(task.Program)
	if err != nil {
		return failedJQ(tools.CodeInvalidArguments, "the jq program is not valid: "+err.Error()), nil
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return failedJQ(tools.CodeInvalidArguments, "the jq program is not valid: "+err.Error()), nil
	}
	answer := jqAnswer{Results: []json.RawMessage{}}
	answer.collect(code.Run(value))
	return answer, nil
}

func failedJQ(code, message string) jqAnswer {
	return jqAnswer{Code: code, Failure: cutAtRune(message, 600)}
}

func (a *jqAnswer) collect(values gojq.Iter) {
	for room := maxProcessOutput; ; {
		value, more := values.Next()
		if !more {
			return
		}
		if err, failed := value.(error); failed {
			var halt *gojq.HaltError
			if !errors.As(err, &halt) || halt.Value() != nil {
				*a = failedJQ(tools.CodeInvalidArguments, "the jq program failed: "+err.Error())
			}
			return
		}
		if len(a.Results) == maxQueryValues {
			a.Truncated, a.Note = true, fmt.Sprintf("these are the first %d results", maxQueryValues)
			return
		}
		size, tooDeep := jsonSize(value, room, 0)
		if tooDeep {
			*a = failedJQ("too_large", fmt.Sprintf("a result is nested more than %d deep", maxJSONDepth))
			return
		}
		if room -= size; room <= 0 {
			if len(a.Results) == 0 {
				*a = failedJQ("too_large", fmt.Sprintf("the result is longer than %d bytes: select less",
					maxProcessOutput))
				return
			}
			a.Truncated, a.Note = true, fmt.Sprintf("these are the first %d results; all together are too long",
				len(a.Results))
			return
		}
		encoded, err := gojq.Marshal(value)
		if err != nil {
			*a = failedJQ(tools.CodeInvalidArguments, "the jq program failed: "+err.Error())
			return
		}
		a.Results = append(a.Results, encoded)
	}
}

// jsonSize is about how long a value is as JSON, and whether it is nested too
// deeply; it stops counting beyond limit.
func jsonSize(value any, limit, depth int) (size int, tooDeep bool) {
	size = 2
	var inner int
	switch value := value.(type) {
	case string:
		size += len(value)
	case json.Number:
		size += len(value)
	case *big.Int:
		size += value.BitLen() / 3
	case []any:
		if depth == maxJSONDepth {
			return size, true
		}
		for _, item := range value {
			inner, tooDeep = jsonSize(item, limit-size, depth+1)
			if size += inner + 1; size > limit || tooDeep {
				break
			}
		}
	case map[string]any:
		if depth == maxJSONDepth {
			return size, true
		}
		for name, item := range value {
			inner, tooDeep = jsonSize(item, limit-size, depth+1)
			if size += len(name) + 4 + inner; size > limit || tooDeep {
				break
			}
		}
	default:
		size += 8
	}
	return size, tooDeep
}
