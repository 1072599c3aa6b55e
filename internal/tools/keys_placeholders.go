package tools

import (
	"context"

	"nanoclaw/internal/services"
)

// PlaceholdersKey finds what resolves the placeholders of redacted secrets. Where
// nothing is registered, nothing is redacted either.
var PlaceholdersKey = services.NewKey[Placeholders]("placeholders")

// Placeholders knows what the placeholders stand for that a run was shown in place
// of the secrets of a file.
type Placeholders interface {
	// Find is the first placeholder in a text, or what could be meant as one.
	Find(text string) (placeholder string, found bool)

	// Shown notes that the run is shown a text of a file, and answers how many
	// secrets are redacted in it and how many bytes it has then.
	Shown(call Call, path, text string) (secrets, size int)

	// Of looks for the secrets in the present text of a file.
	Of(ctx context.Context, call Call, path, present string) SecretText
}

// SecretText is the present text of a file with its secrets.
type SecretText interface {
	// Resolve puts the secrets of this file into the place of their placeholders in
	// another text: those of the present text, those that the run was shown of it
	// before, and those of its text before the run changed it. A placeholder that the file itself has as text stays. One that
	// cannot be resolved is an *Error with CodeUnresolvedPlaceholder.
	Resolve(text string) (string, error)

	// Hides checks that no secret of this file is readable in what is to be written,
	// after, when it is redacted. What the model wrote itself, own, is no secret to
	// it. The error is an *Error with CodeUnresolvedPlaceholder.
	Hides(after, own string) error

	// Cuts says whether bytes start to end are a part of a secret but not all of it.
	Cuts(start, end int) bool

	// Blanked is the present text with the same lines and nothing of its secrets.
	Blanked() string
}
