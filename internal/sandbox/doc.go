// Package sandbox runs processes that are not trusted: shell sessions and Python
// (in its subpackages) under one of three policies.
//
// sandbox is bubblewrap with namespaces, a read-only system, a seccomp program,
// resource limits and control groups. docker is a container of a local Docker
// engine. host has no isolation; it only bounds resources and sees to it that
// every process ends.
//
// What it promises: a policy whose engine is missing is an error, never a weaker
// policy. A process that is stopped takes all its descendants with it, also those
// that left its process group, and nothing stays when the server itself is killed.
//
// It must not know of tools, projects' identities, runs or HTTP. What each policy
// enforces is listed in docs/security.md.
package sandbox
