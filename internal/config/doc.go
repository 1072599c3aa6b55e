// Package config is config.yml: its keys, their defaults, limits and
// documentation, and the way from a file to a checked *Config and back.
//
// The promises:
//
//   - Every key has a default (Default), and every key is documented where it is
//     declared, in its struct tag. config.yml and docs/configuration.md are
//     generated from that (go generate ./internal/config).
//   - Everything that is wrong with a file is reported at once (Problems), each
//     with file, line, column, key and what to do. No message quotes a secret, a
//     value that came from the environment, or a neighbouring line.
//   - A *Config that Load returned is never changed afterwards. Live holds the
//     one in force and replaces it as a whole when the file changes.
//   - Edit changes the text of a file key by key. Sections that do not change keep
//     every byte, and the one that does keeps its comments.
//
// The room must not know who uses a setting: no tool names, no provider clients,
// no HTTP. It only says what may be written and what it means.
//
// Struct tags of a key:
//
//	yaml    its name
//	doc     its documentation; one or more sentences
//	check   rules, comma-separated: min=, max=, zero (0 is allowed beside
//	        min), oneof=a|b, keys=a|b (of a map), required, url, hostport,
//	        host, glob, regexp, name, natsurls, natsprefix. On a list or map they hold for each element.
//	reload  "restart" where a change needs a restart
//	env     "optional" where an unset ${NAME} disables instead of failing
package config

//go:generate go run ./gen
