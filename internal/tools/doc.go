// Package tools says what a tool is: how it is declared (Define), found
// (Registry), called (Call) and what a call leaves behind (Result, Record).
//
// A tool is declared in one place and registered from init():
//
//	func init() {
//		tools.Register(tools.Define("file_read", fileReadDoc, fileRead,
//			tools.Category("file"), tools.Effect(tools.Reads)))
//	}
//
// Its JSON Schema comes from the argument struct. The package runs nothing by
// itself: every call goes through package executor. It must not know of the
// executor, the guard, the store or any provider.
package tools
