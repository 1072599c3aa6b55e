// Package egress is the HTTP proxy through which commands reach the hosts that
// shell.allow_hosts names, and nothing else.
//
// It promises: a name is looked up and judged here, outside of the sandbox, by the
// rules of package netsafe. Private, loopback and metadata addresses are refused
// unless the list names the host itself; a wildcard names nobody. The proxy speaks
// CONNECT, in whose tunnels it does not look, and plain HTTP with absolute URLs.
// Redirects are the client's to follow, as new requests.
//
// It must not know of tools, conversations or sandboxes; it is given listeners.
package egress
