package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	hello = `{"choices":[{"delta":{"content":"hello"}}]}`
	world = `{"choices":[{"delta":{"content":" world"}}]}`
)

// readAll joins the content of all chunks.
func readAll(r io.Reader, limit int) (string, *Decoder, error) {
	d := NewDecoder(r, limit)
	var text strings.Builder
	for {
		c, err := d.Next()
		if err == io.EOF {
			return text.String(), d, nil
		}
		if err != nil {
			return text.String(), d, err
		}
		if c.Error != nil {
			return text.String(), d, errors.New("error event: " + string(c.Error))
		}
		text.Write(c.Content)
	}
}

func TestEveryFramingIsUnderstood(t *testing.T) {
	t.Parallel()
	half := strings.Index(hello, `"delta"`)
	for name, in := range map[string]string{
		"LF":             "data: " + hello + "\n\ndata: " + world + "\n\ndata: [DONE]\n\n",
		"CRLF":           "data: " + hello + "\r\n\r\ndata: " + world + "\r\n\r\ndata: [DONE]\r\n\r\n",
		"no space":       "data:" + hello + "\n\ndata:" + world + "\n\ndata:[DONE]\n\n",
		"no blank lines": "data: " + hello + "\ndata: " + world + "\ndata: [DONE]\n",
		"comments and fields": ": hi\n\nevent: message\nid: 3\nretry: 5\ndata: " + hello + "\n\n:x\n\ndata: " +
			world + "\n\ndata: [DONE]\n\n",
		"several data lines": "data: " + hello[:half] + "\ndata: " + hello[half:] + "\n\ndata: " + world +
			"\n\ndata: [DONE]\n\n",
		"several lines at end":   "data: " + hello + "\n\ndata: " + world[:half] + "\ndata: " + world[half:],
		"byte order mark":        "\uFEFFdata: " + hello + "\n\ndata: " + world + "\n\n",
		"no newline at the end":  "data: " + hello + "\n\ndata: " + world,
		"empty data":             "data:\n\ndata: " + hello + "\n\ndata: \n\ndata: " + world + "\n\n",
		"text after DONE":        "data: " + hello + "\n\ndata: " + world + "\n\ndata: [DONE]\n\ndata: nonsense\n\n",
		"a document":             `  {"choices":[{"message":{"content":"hello world"},"finish_reason":"stop"}]}` + "\n",
		"a document in an array": `[{"choices":[{"message":{"content":"hello world"}}]}]`,
	} {
		for kind, r := range map[string]io.Reader{"whole": strings.NewReader(in),
			"byte by byte": iotest.OneByteReader(strings.NewReader(in))} {
			if text, _, err := readAll(r, 1<<20); err != nil || text != "hello world" {
				t.Errorf("%s, %s: %q %v", name, kind, text, err)
			}
		}
	}
}

func TestBrokenJSONInAnyFramingIsAnError(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"in mid-stream":          "data: " + hello + "\n\ndata: {\"choices\":[{\n\ndata: " + world + "\n\n",
		"without blank lines":    "data: " + hello + "\ndata: {\"choices\":[{\ndata: " + world + "\ndata: [DONE]\n",
		"before DONE":            "data: " + hello + "\n\ndata: {\"choices\":[{\ndata: [DONE]\n\n",
		"at the end":             "data: " + hello + "\n\ndata: {\"choices\":[{",
		"a document that ends":   `{"choices":[{"message":`,
		"a document with a tail": `{"choices":[]} x`,
	} {
		if _, _, err := readAll(strings.NewReader(in), 1<<20); !errors.Is(err, ErrSyntax) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnErrorInTheStreamIsFoundInEveryFraming(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"error object": "data: " + hello + "\n\ndata: {\"error\":{\"message\":\"no\"}}\n\ndata: [DONE]\n\n",
		"named event":  "data: " + hello + "\n\nevent: error\ndata: {\"message\":\"no\"}\n\n",
		"named text":   "data: " + hello + "\n\nevent:error\ndata:no\n\n",
		"bare object":  "data: " + hello + "\n\n{\n  \"error\": {\n    \"message\": \"no\"\n  }\n}\n",
		"bare line":    "data: " + hello + "\n\n{\"error\":{\"message\":\"no\"}}\n",
	} {
		text, _, err := readAll(strings.NewReader(in), 1<<20)
		if text != "hello" || err == nil || !strings.HasPrefix(err.Error(), "error event") ||
			!strings.Contains(err.Error(), "no") {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
}

func TestALongLineIsReadUpToTheLimit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300<<10)
	in := `data: {"choices":[{"delta":{"content":"` + long + `"}}]}` + "\n\n"
	if text, _, err := readAll(strings.NewReader(in), 1<<20); err != nil || text != long {
		t.Errorf("below the limit: %d bytes, %v", len(text), err)
	}
	if _, _, err := readAll(strings.NewReader(in), 200<<10); !errors.Is(err, ErrTooLong) {
		t.Errorf("above the limit: %v", err)
	}
	if _, _, err := readAll(strings.NewReader(in[len("data: "):]), 200<<10); !errors.Is(err, ErrTooLong) {
		t.Errorf("a document above the limit: %v", err)
	}
	if _, _, err := readAll(strings.NewReader("data: {\n"+strings.Repeat("data: 1,\n", 1000)), 1<<10); !errors.Is(err,
		ErrTooLong) {
		t.Errorf("an event above the limit: %v", err)
	}
}

func TestAWebPageIsRecognised(t *testing.T) {
	t.Parallel()
	if _, _, err := readAll(strings.NewReader("\n<!DOCTYPE html><html>"), 1<<20); !errors.Is(err, ErrHTML) {
		t.Errorf("%v", err)
	}
}

func TestAReaderThatFailsGivesItsOwnError(t *testing.T) {
	t.Parallel()
	r := io.MultiReader(strings.NewReader("data: "+hello+"\n\ndata: {\"ch"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if text, _, err := readAll(r, 1<<20); err != io.ErrUnexpectedEOF || text != "hello" {
		t.Errorf("%q %v", text, err)
	}
}

// Whatever comes, the decoder ends, gives valid chunks or an error, and gives
// the same however the bytes are cut.
func FuzzTheDecoderEndsAndDoesNotDependOnPackets(f *testing.F) {
	f.Add("data: " + hello + "\n\ndata: [DONE]\n\n")
	f.Add("event: error\r\ndata: {}\r\n\r\n")
	f.Add("{\"error\":\ndata: " + world)
	f.Add("data: {\ndata: }\n\n: x\n")
	f.Add(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}` + "\n")
	f.Fuzz(func(t *testing.T, in string) {
		whole, d, err := readAll(strings.NewReader(in), 64)
		if _, again := d.Next(); err == nil && again != io.EOF {
			t.Fatalf("after the end: %v", again)
		}
		bytewise, _, err2 := readAll(iotest.OneByteReader(strings.NewReader(in)), 64)
		if whole != bytewise || (err == nil) != (err2 == nil) {
			t.Fatalf("whole %q %v, byte by byte %q %v", whole, err, bytewise, err2)
		}
	})
}
