// Package services is the Service Locator: shared services are registered once
// at start-up under a typed key and looked up by the tools that need them.
//
// It knows nothing of the server: the room that consumes a service declares its
// key and the interface that it needs, and package app registers the
// implementation.
package services

import (
	"fmt"
	"sync"
)

// Key names a service of type T. Make one with NewKey, in a package variable.
type Key[T any] struct{ name string }

// NewKey returns the key of a service. The name is what errors show, for example "llm_client".
func NewKey[T any](name string) Key[T] { return Key[T]{name: name} }

// String is the service's name.
func (k Key[T]) String() string { return k.name }

// MissingError says that a service was looked up that nobody registered.
type MissingError struct{ Name string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the service %q is not available: it was not registered at start-up", e.Name)
}

// ErrorCode is the code that a tool call answers with.
func (e *MissingError) ErrorCode() string { return "unavailable" }

// Locator holds services. The zero value is ready for use, by many goroutines at once.
type Locator struct {
	mu       sync.RWMutex
	services map[string]any
}

// Register stores a service under its key. A second registration of one name is
// a mistake in the program and panics, as does a nil locator.
func Register[T any](l *Locator, key Key[T], service T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.services[key.name]; taken {
		panic(fmt.Sprintf("services: %q is registered twice", key.name))
	}
	if l.services == nil {
		l.services = make(map[string]any)
	}
	l.services[key.name] = service
}

// Get looks a service up. It returns a *MissingError when nobody registered it,
// also on a nil locator, and an error when it was registered with another type.
func Get[T any](l *Locator, key Key[T]) (T, error) {
	var zero T
	if l == nil {
		return zero, &MissingError{Name: key.name}
	}
	l.mu.RLock()
	found, ok := l.services[key.name]
	l.mu.RUnlock()
	if !ok || found == nil {
		return zero, &MissingError{Name: key.name}
	}
	service, ok := found.(T)
	if !ok {
		return zero, fmt.Errorf("the service %q has type %T, not %T", key.name, found, zero)
	}
	return service, nil
}
