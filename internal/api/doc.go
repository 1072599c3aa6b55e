// Package api shows the house over HTTP: REST under /api/v1 with its OpenAPI
// document, events as SSE, health at the root, and the built web app.
//
// Promise: every answer that is no success is application/problem+json with a
// code; what failed inside is told to the log and not to the client. A request
// that a web page of another origin made is refused before anything reads it.
// Paths in URLs are percent-decoded once.
//
// It must not know how runs are worked on or how rows are stored; Echo and huma
// stay in this package.
package api
