// Package workspace holds a project's files: one Filesystem interface and its
// implementations, the limits that a project keeps, and where a project's
// directory lies.
//
// What it promises: a path that a caller passes is relative to the project's
// root, and nothing outside that root is read, created, changed or deleted,
// whatever the path says and whatever another process does to the tree at the
// same time. Writes are atomic: a reader sees the old content or the new one.
// Edits and appends of one process never lose each other.
//
// The implementations are Local, and those in the rooms below: remote, layered and
// composite. Which one a project has, the mode in the configuration says; on whose
// behalf it is opened, the context (WithAccess). package workspacetest holds what all
// of them promise.
//
// It must not know of tools, runs, HTTP or the store. Who may do what is decided
// before a call comes here.
package workspace
