package memory

import (
	"fmt"
	"strings"

	"nanoclaw/internal/visible"
)

// Section is what a prompt says of a project's AGENTS.md; empty: nothing.
func (t Text) Section() string {
	if strings.TrimSpace(t.Text) == "" && !t.Cut {
		return ""
	}
	return "# " + t.Path + " of the project\n" + t.Text + t.rest()
}

// rest says what is missing of a file.
func (t Text) rest() string {
	if !t.Cut {
		return ""
	}
	return fmt.Sprintf("\n(%s has %d bytes: only its beginning stands here. Read the rest with file_read.)", t.Path,
		t.Size)
}

// Section is what a prompt says of the notes; empty: nothing. writable says whether
// the agent can add to them.
func (n *Notes) Section(writable bool) string {
	var text strings.Builder
	if writable {
		fmt.Fprintf(&text, "%s and %s/ are your memory of this project: notes to yourself, which you see at the start "+
			"of every conversation in it. Note with the file tools what will matter later (decisions, preferences, what was "+
			"hard to find out), and never a secret. Keep %s short; details go to files in %s/.\n", NotesFile, NotesFolder,
			NotesFile, NotesFolder)
	}
	if strings.TrimSpace(n.Text.Text) != "" || n.Cut {
		fmt.Fprintf(&text, "## %s: what you noted earlier\n%s%s\n", NotesFile, n.Text.Text, n.rest())
	}
	if len(n.Files) > 0 {
		text.WriteString("## Files to read when they are needed\n")
		for _, file := range n.Files {
			fmt.Fprintf(&text, "- %s (%d bytes)\n", oneLine(file.Path), file.Size)
		}
		if n.More {
			text.WriteString("- and more: list them with file_list\n")
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return "# Memory\n" + text.String()
}

// oneLine is a path that cannot look like another part of a prompt.
func oneLine(path string) string {
	return strings.ReplaceAll(visible.Text(strings.ToValidUTF8(path, "�")), "\n", "⟨U+000A⟩")
}
