// Package catalog maps configuration to models: those of config.yml, those of
// keys in the environment, those of a local Ollama. It stands beside package llm
// because it knows all providers, which llm must not.
//
// The catalog never waits for the network: Ollama is asked in the background,
// and its models appear when it has answered.
package catalog
