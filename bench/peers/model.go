package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nanoclaw/bench/peers/peer"
)

// model is an OpenAI-compatible server. It asks for three calculations, different
// ones in each run, and gives the final text only where their results came back.
type model struct {
	url  string
	took time.Duration // of each call

	mu     sync.Mutex
	asked  int      // runs that were sent their tool calls
	texts  []string // final texts since the last take
	number int
}

func startModel(took time.Duration) (*model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + listener.Addr().String() + "/v1", took: took, number: 10}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.complete)
	go http.Serve(listener, mux)
	return m, nil
}

// take gives what the server did since the last time.
func (m *model) take() (asked int, texts []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked, texts, m.asked, m.texts = m.asked, m.texts, 0, nil
	return asked, texts
}

// incoming is a request; content may be a text or a list of parts.
type incoming struct {
	Stream   bool  `json:"stream"`
	Tools    []any `json:"tools"`
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCalls  []peer.Call     `json:"tool_calls"`
		ToolCallID string          `json:"tool_call_id"`
	} `json:"messages"`
	Options struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func (m *model) complete(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	var request incoming
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	deltas, err := m.answer(request)
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": err.Error()}})
		return
	}
	time.Sleep(m.took - time.Since(arrived))
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := w.(http.Flusher)
	finish := "stop"
	if strings.Contains(deltas[0], "tool_calls") {
		finish = "tool_calls"
	}
	send := func(delta, finish string) {
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":`+
			`[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
		flusher.Flush()
	}
	send(`{"role":"assistant","content":""}`, "null")
	for _, delta := range deltas {
		send(delta, "null")
	}
	send("{}", `"`+finish+`"`)
	if request.Options.Usage {
		fmt.Fprint(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],`+
			`"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30}}`+"\n\n")
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// answer gives the deltas of the first or the second turn.
func (m *model) answer(request incoming) ([]string, error) {
	var expressions []peer.Call
	results := map[string]json.RawMessage{}
	for _, message := range request.Messages {
		expressions = append(expressions, message.ToolCalls...)
		if message.Role == "tool" {
			results[message.ToolCallID] = message.Content
		}
	}
	switch {
	case !request.Stream || len(request.Tools) == 0:
		return nil, fmt.Errorf("a request without stream or tools")
	case len(expressions) == 0 && len(results) == 0:
		return m.ask(), nil
	case len(expressions) != 3 || len(results) != 3:
		return nil, fmt.Errorf("%d calls and %d results in place of three", len(expressions), len(results))
	}
	text := "The results are"
	for _, call := range expressions {
		expected, err := peer.Calculate(call.Function.Arguments)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(numbers.FindAllString(string(results[call.ID]), -1), expected) {
			return nil, fmt.Errorf("%s came to %s", call.Function.Arguments, results[call.ID])
		}
		text += " " + expected
	}
	m.mu.Lock()
	m.texts = append(m.texts, text)
	m.mu.Unlock()
	var deltas []string
	for word := range strings.SplitAfterSeq(text, " ") {
		deltas = append(deltas, `{"content":`+strconv.Quote(word)+`}`)
	}
	return deltas, nil
}

var numbers = regexp.MustCompile(`\d+`)

// ask gives the deltas of three tool calls with numbers that no other run has, so
// that no cache answers; arguments come in two pieces, as models send them.
func (m *model) ask() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	m.number++
	var deltas []string
	for i, operation := range []string{"+1", "*3", "-4"} {
		deltas = append(deltas,
			fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d_%d","type":"function","function":`+
				`{"name":%q,"arguments":""}}]}`, i, m.number, i, peer.Tool),
			fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":"{\"expression\":"}}]}`, i),
			fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":"\"%d%s\"}"}}]}`, i, m.number, operation))
	}
	return deltas
}
