package config

// Titles is how conversations get their names. A name that a person gave stays.
type Titles struct {
	Generate bool   `yaml:"generate" doc:"Ask a model for a title at the end of a conversation's first turn. Until then, and where it is off, the title is the beginning of the first message. The demo model is not asked."`
	Model    string `yaml:"model" doc:"Id of the model that is asked, such as a small one. Empty: the one that answered."`
}
