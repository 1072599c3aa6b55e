// Package discover finds models that nobody configured: for keys in the
// environment, and those that a local Ollama has. It only makes config entries;
// who uses them says where they come from. An entry of config.yml with the same id
// wins over what is found here.
//
// The models named in providers.go are a first choice for each provider, not a
// catalogue: what a vendor retires is changed by an entry in config.yml, or by the
// provider's …_MODEL variable, without a new release.
package discover
