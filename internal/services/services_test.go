package services

import (
	"errors"
	"strings"
	"testing"
)

type greeter interface{ Greet() string }

type polite struct{}

func (polite) Greet() string { return "good day" }

// TS6: a service is registered once and looked up by its typed key.
func TestAServiceIsFoundByItsTypedKey(t *testing.T) {
	t.Parallel()
	key := NewKey[greeter]("greeter")
	var l Locator
	Register[greeter](&l, key, polite{})
	got, err := Get(&l, key)
	if err != nil || got.Greet() != "good day" {
		t.Fatalf("Get = %v, %v", got, err)
	}
}

// TS6: a missing service is a clear error, not a nil panic.
func TestAMissingServiceIsAClearError(t *testing.T) {
	t.Parallel()
	key := NewKey[greeter]("greeter")
	for name, l := range map[string]*Locator{"empty": {}, "nil": nil} {
		_, err := Get(l, key)
		var missing *MissingError
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), `"greeter"`) {
			t.Errorf("%s locator: got %v, want a MissingError that names the service", name, err)
		}
	}
}

func TestAServiceOfAnotherTypeIsAnError(t *testing.T) {
	t.Parallel()
	var l Locator
	Register(&l, NewKey[int]("x"), 1)
	if _, err := Get(&l, NewKey[string]("x")); err == nil {
		t.Fatal("a service of another type was handed out")
	}
}

func TestRegisteringOneNameTwicePanics(t *testing.T) {
	t.Parallel()
	var l Locator
	Register(&l, NewKey[int]("x"), 1)
	defer func() {
		if recover() == nil {
			t.Fatal("no panic")
		}
	}()
	Register(&l, NewKey[int]("x"), 2)
}
