package app

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"nanoclaw/internal/redact"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/tools/builtin"
	"nanoclaw/internal/undo"
)

const (
	// shownBytes bounds the secrets that are remembered of what runs were shown.
	shownBytes = 8 << 20
	// shownTime is how long they are remembered when nobody asks for them.
	shownTime = time.Hour
)

// placeholders resolves the placeholders of redaction for the file tools. What
// runs were shown is kept in memory alone: after a restart the present text of a file
// tells what they stand for, and the version kept from before the run changed it.
type placeholders struct {
	redactor *redact.Redactor
	kept     keptVersions
	shown    *otter.Cache[shownFile, redact.Known]
}

// keptVersions are the contents of files before runs changed them; of an unknown one nil.
type keptVersions interface {
	Before(ctx context.Context, rootRunID, projectID, path string) ([]byte, error)
}

var _ keptVersions = (*undo.Service)(nil)

var _ tools.Placeholders = (*placeholders)(nil)

// shownFile is a file as the runs of one tree see it.
type shownFile struct {
	rootRunID, projectID, path string
}

func newPlaceholders(redactor *redact.Redactor, kept keptVersions) *placeholders {
	return &placeholders{redactor: redactor, kept: kept, shown: otter.Must(&otter.Options[shownFile, redact.Known]{
		MaximumWeight: shownBytes,
		Weigher: func(_ shownFile, known redact.Known) uint32 {
			weight := 200 // the entry itself
			for key, value := range known {
				weight += len(key) + len(value) + 50
			}
			return uint32(min(weight, shownBytes))
		},
		ExpiryCalculator: otter.ExpiryAccessing[shownFile, redact.Known](shownTime),
		Executor:         func(maintain func()) { maintain() }, // no goroutines of its own
	})}
}

func fileOf(call tools.Call, name string) shownFile {
	return shownFile{call.RootRunID, call.ProjectID, path.Clean("/" + name)}
}

// Find implements tools.Placeholders.
func (p *placeholders) Find(text string) (string, bool) { return redact.FirstMark(text) }

// Shown implements tools.Placeholders.
func (p *placeholders) Shown(call tools.Call, name, text string) (secrets, size int) {
	source := p.redactor.Source(text)
	if known := source.Known(); len(known) > 0 && call.RootRunID != "" {
		p.shown.Compute(fileOf(call, name), func(earlier redact.Known, _ bool) (redact.Known, otter.ComputeOp) {
			return earlier.With(known), otter.WriteOp
		})
	}
	return source.Count(), len(source.Redacted())
}

// Of implements tools.Placeholders.
func (p *placeholders) Of(ctx context.Context, call tools.Call, name, present string) tools.SecretText {
	earlier, _ := p.shown.GetIfPresent(fileOf(call, name))
	before := func() (redact.Known, error) { return p.before(ctx, call, name) }
	return &secretText{p.redactor.Source(present), p.redactor, earlier, before, name}
}

// before is what is known from the version of a file that is kept for the run.
func (p *placeholders) before(ctx context.Context, call tools.Call, name string) (redact.Known, error) {
	if p.kept == nil || call.RootRunID == "" || call.ProjectID == "" {
		return nil, nil
	}
	content, err := p.kept.Before(ctx, call.RootRunID, call.ProjectID, name)
	if content == nil || err != nil {
		return nil, err
	}
	return p.redactor.Source(builtin.TextOf(content)).Known(), nil
}

// secretText is a file's text with what is known of it from before.
type secretText struct {
	*redact.Source
	redactor *redact.Redactor
	earlier  redact.Known
	before   func() (redact.Known, error) // more of it, where that does not suffice
	path     string
}

// Resolve implements tools.SecretText.
func (t *secretText) Resolve(text string) (string, error) {
	resolved, err := t.Source.Resolve(text, t.earlier)
	var unresolved *redact.UnresolvedError
	if errors.As(err, &unresolved) {
		known, failed := t.before()
		if failed != nil {
			return "", failed
		}
		t.earlier = t.earlier.With(known)
		resolved, err = t.Source.Resolve(text, t.earlier)
	}
	if errors.As(err, &unresolved) {
		return "", tools.Errorf(tools.CodeUnresolvedPlaceholder,
			"%s stands for no secret of %q, so nothing was written. A placeholder can be written back unchanged, and "+
				"only to the file in which you read it. "+
				"Read the file again and copy its placeholders exactly; a secret of another file has to be put "+
				"in by the user", unresolved.Mark, t.path)
	}
	return resolved, err
}

// Hides implements tools.SecretText.
func (t *secretText) Hides(after, own string) error {
	known := t.Known().With(t.earlier)
	if len(known) == 0 {
		return nil
	}
	redacted := t.redactor.String(after)
	for key, value := range known {
		isSecret := value != "" && value != key
		seen := strings.Contains(t.Redacted(), value) || strings.Contains(own, value)
		if isSecret && !seen && strings.Contains(redacted, value) {
			return tools.Errorf(tools.CodeUnresolvedPlaceholder,
				"in its new place a secret of %q would not be recognised as one and could be read, so "+
					"nothing was written. "+
					"Keep the name in front of its placeholder, or one that says what it is, such as "+
					"PASSWORD or TOKEN; "+
					"another name has to be put in by the user", t.path)
		}
	}
	return nil
}
