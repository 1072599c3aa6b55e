// Package llm talks to language models. One interface, Model, hides what each
// provider does differently: a request goes in, a stream of events comes out,
// and the last event holds the whole response. What a provider gets wrong on the
// wire is repaired here or becomes a typed *Error; nothing wrong passes as success.
//
// Subpackages are the providers: openai (every OpenAI-compatible endpoint, on
// langchaingo), anthropic (its own SDK), demo (offline, by rules). catalog maps
// configuration to models, with those that discover finds; tokens estimates what
// text costs. llmtest is a scripted OpenAI-compatible server for tests and
// benchmarks, llmsuite says what every provider must do.
//
// Fit keeps a request inside the context window.
//
// The package knows nothing of tools' implementations, runs or the store.
package llm
