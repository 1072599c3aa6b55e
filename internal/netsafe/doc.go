// Package netsafe is the HTTP client for addresses that a model or a stranger
// chose. It reaches the public internet and nothing else: no loopback, no
// private network, no metadata service of a cloud, unless the policy allows the
// host.
//
// The promise holds where it counts, at the socket. A name is resolved once per
// connection, every address that it has is judged, and the connection is made to
// an address that was judged, so that a name server that answers something else
// the second time changes nothing. Redirects are new requests and are judged
// like the first. No connection is kept for a later request, since the policy
// may be another one by then.
//
// A proxy would resolve names out of this package's sight, so the environment's
// proxy settings are not used.
//
// The package knows nothing of the rest of the product.
package netsafe
