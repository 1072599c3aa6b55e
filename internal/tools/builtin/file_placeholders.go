package builtin

import (
	"context"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// placeholders are the placeholders of a call; nil: nothing is redacted.
func placeholders(call tools.Call) tools.Placeholders {
	p, err := services.Get(call.Services, tools.PlaceholdersKey)
	if err != nil {
		return nil
	}
	return p
}

// hasPlaceholder says whether a text cannot be written as it is.
func hasPlaceholder(call tools.Call, text string) bool {
	p := placeholders(call)
	if p == nil {
		return false
	}
	_, found := p.Find(text)
	return found
}

// secretsOf are the secrets of a file that holds the text at present.
func secretsOf(ctx context.Context, call tools.Call, path, present string) tools.SecretText {
	if p := placeholders(call); p != nil {
		return p.Of(ctx, call, path, present)
	}
	return openText(present)
}

// resolveIn puts secrets of a file that holds old at present into the place of
// their placeholders in a text.
func resolveIn(ctx context.Context, call tools.Call, path string, old []byte, text string) (string, error) {
	if !hasPlaceholder(call, text) {
		return text, nil
	}
	secrets := secretsOf(ctx, call, path, TextOf(old))
	resolved, err := secrets.Resolve(text)
	if err != nil {
		return "", err
	}
	return resolved, secrets.Hides(resolved, text)
}

// TextOf is the content of a file as the file tools show and edit it; of a binary file
// the bytes.
func TextOf(content []byte) string {
	_, text, err := editableText(content, "")
	if err != nil {
		return string(content)
	}
	return text
}

// openText is a text without secrets.
type openText string

var _ tools.SecretText = openText("")

func (openText) Resolve(text string) (string, error) { return text, nil }

func (openText) Hides(string, string) error { return nil }

func (openText) Cuts(int, int) bool { return false }

func (t openText) Blanked() string { return string(t) }
