// Package tokens estimates how many tokens a text or a request costs, for the
// guard of the context window and for providers that report no usage.
//
// It is a heuristic, fitted to OpenAI's cl100k_base and o200k_base: it knows
// nothing of vocabularies, needs no memory, starts at once and reads some hundred
// megabytes a second. A real tokenizer costs about 175 ms and 30 MB at its first
// use and would be wrong for every model but OpenAI's all the same. For English
// and Chinese prose, code, JSON, tables and numbers the estimate lies between
// 0.75 and 1.35 times what either vocabulary says; for anything else (other
// scripts, emoji, base64, padding) between 0.5 and 2.5 times. A test holds it to
// that. Whoever compares an estimate with a hard limit should keep a quarter in
// reserve.
package tokens
