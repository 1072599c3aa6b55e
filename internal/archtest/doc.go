// Package archtest holds the tests of the repository's own rules: who may import
// whom. It has no code.
package archtest
