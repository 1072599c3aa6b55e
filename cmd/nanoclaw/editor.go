package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// editor is the person's, or "".
func (p *program) editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command, _ := p.env(name); command != "" {
			return command
		}
	}
	return ""
}

// editText opens a text in the editor and returns what was saved.
func (p *program) editText(ctx context.Context, editor, text string) (_ string, err error) {
	file, err := os.CreateTemp("", "nanoclaw-*.json") // readable by its owner alone
	if err != nil {
		return "", fmt.Errorf("keep the text for the editor: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("keep the text for the editor: %w", err)
	}
	// As git does: the variable may hold a command with arguments.
	command := exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file.Name())
	command.Stdin, command.Stdout, command.Stderr = p.stdin, p.stdout, p.stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("the editor %s: %w", editor, err)
	}
	saved, err := os.ReadFile(file.Name())
	if err != nil {
		return "", fmt.Errorf("read what was edited: %w", err)
	}
	return string(saved), nil
}
