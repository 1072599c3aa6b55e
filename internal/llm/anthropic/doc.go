// Package anthropic talks to Claude models through Anthropic's own Go SDK, which
// makes the request, and reads the stream event by event. It puts a conversation
// into the strict form that the Messages API wants (alternating roles, every call
// answered in the next turn, ids and names of its alphabet), replays signed
// thinking word for word, marks what may be cached, and turns everything that can
// go wrong into a *llm.Error.
//
// Which parameters a model accepts differs from model to model, and the API says so
// only by refusing. What it refuses is remembered per model, and the request is
// made again without it.
//
// Retries, the idle timeout and the end of a stream are handled here and not by the
// SDK: it waits for as long as a Retry-After says, knows no idle timeout, and takes
// a stream that breaks off for a whole answer. Nothing is read from the environment.
package anthropic
