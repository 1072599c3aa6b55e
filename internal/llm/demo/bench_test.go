package demo

import (
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	for name, say := range map[string]string{
		"english": "list the files, then compute 12*(3+4) and save it to result.txt",
		"chinese": "列出文件，然后计算 12*(3+4) 并保存到 result.txt",
		"unclear": strings.Repeat("word, and ", 400),
		"verbs":   strings.Repeat("read, and write a thing, then show ", 100),
		"many":    strings.Repeat("list the files. ", 200),
		"quotes":  strings.Repeat("' “ \" ` ", 5000),
		"commas":  "compute " + strings.Repeat("1,234,", 600) + "5",
		"parens":  "compute " + strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 1900),
		"agents":  "ask three agents to " + strings.Repeat("list, and compute ", 200),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				parse(say, earlier{})
			}
		})
	}
}
