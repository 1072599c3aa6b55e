// Package python runs Python code in interpreters that are used once. One is
// always started in advance, so that a call does not wait for it.
//
// The policy of package sandbox is the boundary. The list of modules and builtins
// of a level is a courtesy to the model: it says early and clearly what the code
// may not do. It must not know of tools or conversations.
package python
