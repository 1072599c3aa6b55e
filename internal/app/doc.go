// Package app is the wiring: it builds every room from the configuration,
// registers the shared services, and starts and stops the parts in order. It is
// the only package that knows them all.
package app
