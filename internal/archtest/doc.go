// Package archtest holds the tests of the repository's own rules: who may import
// whom, and that the map of the architecture leads to files. It has no code.
package archtest
