// Package accounts knows who may use the server in auth_mode multi: passwords, sessions of
// browsers, tokens of programs, and links that let a person choose a password.
//
// Secrets are kept as hashes alone: argon2id of passwords, SHA-256 of tokens that are 256
// random bits. Sessions live in the database, so that they can be listed and ended, also by
// another replica.
package accounts
