// Package anthropictest is a scripted server that speaks Anthropic's Messages API
// with streaming, for the tests of the provider.
//
//	srv := anthropictest.NewServer(t)
//	srv.Reply(anthropictest.Answer(anthropictest.Thinking("hm", "sig"), anthropictest.Text("Hello.")))
//	// base_url: srv.URL()
//
// Replies are given in order; the last one is given again and again. Requests are
// checked as the real API checks them (roles, pairs of tool_use and tool_result,
// ids, empty texts, thinking against temperature and max_tokens) and refused with
// its words, so that a provider that passes here is not surprised there. A reply
// can also be an HTTP error or misbehave on the wire.
package anthropictest
