// Package llmtest is a scripted server that speaks the OpenAI-compatible chat
// protocol: what tests, browser tests and benchmarks talk to instead of a model.
//
//	srv := llmtest.NewServer(t)
//	srv.On(llmtest.UserContains("weather")).Steps(
//		llmtest.Calls(llmtest.Call{Name: "get_weather", Arguments: `{"city":"Paris"}`}),
//		llmtest.Text("Sunny."),
//	)
//	// base_url: srv.URL()
//
// A rule matches by what stands in the request, so every conversation and every
// sub-agent (whose instruction is the user message of its request) can have a
// script of its own, also when many of them run at once. A reply can be late,
// wait at a Gate, be an HTTP error, or misbehave on the wire in every way of
// Fault. The server records what it was asked and how many requests it had at
// work at once.
//
// It needs no *testing.T and nothing of ours, so a program can serve a JSON
// script too: see Load and cmd/llmtest.
package llmtest
