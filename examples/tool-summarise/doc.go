// Package summarise is an example of a tool that asks the conversation's model:
// summarise_text shortens a text. docs/adding-a-tool.md says what a tool needs.
package summarise
