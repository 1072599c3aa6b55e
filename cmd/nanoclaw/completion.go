package main

import (
	"context"
	"fmt"
	"strings"
)

// completionScripts complete commands from the table, and flags from each command's
// own help, so that they cannot be out of date. COMMANDS stands for the names.
var completionScripts = map[string]string{
	"bash": `# bash completion for nanoclaw: source <(nanoclaw completion bash)
_nanoclaw() {
  local word=${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "COMMANDS" -- "$word"))
  elif [ "${word#-}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$(nanoclaw help "${COMP_WORDS[1]}" 2>/dev/null | sed -n 's/^  -\([a-z-]*\).*/--\1/p')" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _nanoclaw nanoclaw
`,
	"zsh": `#compdef nanoclaw
# zsh completion for nanoclaw: nanoclaw completion zsh > "${fpath[1]}/_nanoclaw"
_nanoclaw() {
  if (( CURRENT == 2 )); then
    compadd -- COMMANDS
  elif [[ $words[CURRENT] == -* ]]; then
    compadd -- $(nanoclaw help $words[2] 2>/dev/null | sed -n 's/^  -\([a-z-]*\).*/--\1/p')
  else
    _files
  fi
}
_nanoclaw "$@"
`,
	"fish": `# fish completion for nanoclaw: nanoclaw completion fish > ~/.config/fish/completions/nanoclaw.fish
complete -c nanoclaw -n __fish_use_subcommand -f -a "COMMANDS"
complete -c nanoclaw -n 'not __fish_use_subcommand' -a '(nanoclaw help (commandline -opc)[2] 2>/dev/null | string replace -rf "^  -([a-z-]+).*" -- "--\$1")'
`,
}

func (p *program) completion(_ context.Context, args []string) error {
	set := p.flags("completion", "completion bash|zsh|fish",
		"Prints a script that completes commands and flags in a shell; its first lines say how to load it.")
	if done, err := p.parse(set, args, 1); done || err != nil {
		return err
	}
	if len(set.args) == 0 {
		return usagef("completion: name a shell: bash, zsh or fish")
	}
	script, known := completionScripts[set.args[0]]
	if !known {
		return usagef("completion: %q is not supported; choose bash, zsh or fish", set.args[0])
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	_, err := fmt.Fprint(p.stdout, strings.ReplaceAll(script, "COMMANDS", strings.Join(names, " ")))
	return err
}
