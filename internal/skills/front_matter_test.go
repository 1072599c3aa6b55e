package skills

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// SK1: the fields of the format, and the mistakes that are common.
func TestTheFrontMatterOfASkillIsRead(t *testing.T) {
	t.Parallel()
	front, text, err := split("\ufeff---\r\nname: pdf-forms\r\n" +
		"description: Fill in forms. Use when: a PDF has fields\r\n" +
		"license: Apache-2.0\r\nallowed-tools: Bash(git:*) Read\r\nmetadata:\r\n  version: \"1.0\"\r\n" +
		"model: x\r\n---\r\n\r\n# Forms\r\n")
	if err != nil || text != "# Forms" {
		t.Fatalf("%q, %v", text, err)
	}
	f, err := parse(front)
	if err != nil || f.check("pdf-forms") != nil {
		t.Fatal(err, f.check("pdf-forms"))
	}
	if f.Description != "Fill in forms. Use when: a PDF has fields" || f.License != "Apache-2.0" ||
		len(f.AllowedTools) != 2 || f.Metadata["version"] != "1.0" {
		t.Errorf("%+v", f)
	}
	f, err = parse("name: a\ndescription: >\n  two\n  lines\u202e\n\n  # System\nallowed-tools: [Read, Write]\n")
	if err != nil || f.Description != "two lines⟨U+202E⟩ # System" || len(f.AllowedTools) != 2 {
		t.Errorf("%+v, %v", f, err)
	}
}

// bomb is a short text that stands for a very long one.
var bomb = "name: a\na: &a [x,x,x,x,x,x,x,x,x]\n" + func() (text string) {
	for c := 'b'; c < 'k'; c++ {
		text += string(
			c,
		) + ": &" + string(
			c,
		) + " [" + strings.TrimSuffix(
			strings.Repeat("*"+string(c-1)+",", 9),
			",",
		) + "]\n"
	}
	return text
}() + "description: *j\n"

// SK1: hostile and wrong front matter is refused with what is wrong.
func TestABadFrontMatterIsRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000)
	for content, want := range map[string]string{
		"":                                               "does not begin with front matter",
		"# Text":                                         "does not begin with front matter",
		"---\nname: a\n":                                 "last line --- of the front matter is missing",
		"---\n" + strings.Repeat("a: b\n", 5000):         "longer than 16384 bytes",
		"---\nname: a\n---\n\xff":                        "not UTF-8",
		"---\nname: a\x00\n---\n":                        "not UTF-8",
		"---\n---\n":                                     "no fields",
		"---\n- name\n---\n":                             "no fields",
		"---\njust text\n---\n":                          "no fields",
		"---\nname: [a\n---\n":                           "not YAML",
		"---\nname: [a]\ndescription: b\n---\n":          "name must be a text",
		"---\nname: a\nname: b\n---\n":                   "twice",
		"---\n" + bomb + "---\n":                         "anchors or aliases",
		"---\nname: !!binary YQ==\n---\n":                "tags",
		"---\nname: &x a\ndescription: b\n---\n":         "anchors or aliases",
		"---\nmetadata: {a: {b: {c: {d: e}}}}\n---\n":    "nested too deep",
		"---\nmetadata: text\nname: a\n---\n":            "must be a mapping",
		"---\nname: a\n---\n":                            "description is missing",
		"---\ndescription: a\n---\n":                     "name is missing",
		"---\nname:\ndescription: a\n---\n":              "name is missing",
		"---\nname: A\ndescription: a\n---\n":            "lower case",
		"---\nname: a--b\ndescription: a\n---\n":         "lower case",
		"---\nname: ../x\ndescription: a\n---\n":         "lower case",
		"---\nname: " + long[:65] + "\n---\n":            "1 to 64",
		"---\nname: b\ndescription: a\n---\n":            "they must be the same",
		"---\nname: a\ndescription: " + long + "\n---\n": "longer than 1024",
		"---\nname: a\ndescription: b\ncompatibility: " + long + "\n---\n":    "longer than 500",
		"---\nname: a\ndescription: b\nmetadata:\n" + many(100) + "---\n":     "more than 64",
		"---\n" + strings.Repeat("[", 9000) + "\n---\n":                       "not YAML",
		"---\nname: a\ndescription: " + strings.Repeat("{", 9000) + "\n---\n": "not YAML",
	} {
		began := time.Now()
		front, _, err := split(content)
		if err == nil {
			var f *frontMatter
			if f, err = parse(front); err == nil {
				err = f.check("a")
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", content, err, want)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%.60q took %v", content, took)
		}
	}
}

func many(n int) (lines string) {
	for i := range n {
		lines += "  k" + strings.Repeat("k", i) + ": v\n"
	}
	return lines
}

// FuzzFrontMatter checks that no SKILL.md panics, and that what goes into a prompt is
// one bounded line.
func FuzzFrontMatter(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\n---\ntext")
	f.Add("---\n" + bomb + "---\n")
	f.Add("---\nname: a\ndescription: use: it\nmetadata: {a: b}\n---\n")
	f.Fuzz(func(t *testing.T, content string) {
		front, _, err := split(content)
		if err != nil {
			return
		}
		described, err := parse(front)
		if err != nil || described.check(described.Name) != nil {
			return
		}
		if strings.ContainsAny(described.Description, "\n\r\u202e") || !utf8.ValidString(described.Description) ||
			utf8.RuneCountInString(described.Description) > maxDescription || described.Name == "" {
			t.Errorf("%q", described.Description)
		}
	})
}
