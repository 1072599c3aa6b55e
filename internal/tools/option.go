package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// Option sets something of a tool that Define makes.
type Option func(*definition)

// definition is a tool while it is being defined.
type definition struct {
	tool     *Tool
	argsType reflect.Type
	untyped  bool // argsType has fields that take any value
}

// Category groups the tool in lists: "file", "data", "crawler", …
func Category(name string) Option {
	return func(d *definition) { d.tool.Category = name }
}

// Effect says what a call does to the world. Every tool needs one.
func Effect(kind EffectKind) Option {
	return func(d *definition) { d.tool.Effect = kind }
}

// Timeout is the tool's own time limit instead of the executor's default. A
// negative one is no limit of its own: the tool bounds itself.
func Timeout(limit time.Duration) Option {
	return func(d *definition) { d.tool.Timeout = limit }
}

// ReadOn is the hint that is put behind a result that was cut at the output
// limit: how the model gets at the rest. Example: "call again with a narrower pattern".
func ReadOn(hint string) Option {
	return func(d *definition) { d.tool.ReadOn = hint }
}

// Resolves names the arguments in which the tool resolves placeholders (see
// Tool.Resolves and Placeholders).
func Resolves(properties ...string) Option {
	return func(d *definition) { d.tool.Resolves = properties }
}

// Stamp says which version of the world a call with these arguments would see
// (see Tool.Stamp). A is the argument struct of the tool; another one panics.
func Stamp[A any](stamp func(ctx context.Context, call Call, args A) (string, error)) Option {
	return func(d *definition) {
		requireArguments[A](d, "stamp", stamp == nil)
		d.tool.Stamp = func(ctx context.Context, call Call, raw json.RawMessage) (string, error) {
			args, err := decodeArguments[A](raw, d.untyped)
			if err != nil {
				return "", err
			}
			return stamp(ctx, call, args)
		}
	}
}

// Preflight finds calls that cannot succeed before a person is asked about them
// (see Tool.Preflight). A is the argument struct of the tool; another one panics.
func Preflight[A any](check func(ctx context.Context, call Call, args A) error) Option {
	return func(d *definition) {
		requireArguments[A](d, "preflight", check == nil)
		d.tool.Preflight = func(ctx context.Context, call Call, raw json.RawMessage) error {
			args, err := decodeArguments[A](raw, d.untyped)
			if err != nil {
				return err
			}
			return check(ctx, call, args)
		}
	}
}

// Tailor fits what a model sees of the tool to the configuration in force (see
// Tool.Tailor).
func Tailor(tailor func(ctx context.Context, call Call, shape *Shape) (useful bool)) Option {
	return func(d *definition) { d.tool.Tailor = tailor }
}

// requireArguments panics on an option whose function is nil or takes other
// arguments than the tool.
func requireArguments[A any](d *definition, what string, missing bool) {
	if missing {
		panic(fmt.Sprintf("tools: the %s of %q is nil", what, d.tool.Name))
	}
	if own := reflect.TypeFor[A](); own != d.argsType {
		panic(fmt.Sprintf("tools: the %s of %q takes %v, but the tool's arguments are %v", what, d.tool.Name, own,
			d.argsType))
	}
}
