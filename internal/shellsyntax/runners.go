package shellsyntax

import (
	"slices"
	"strings"
)

// runners start the program that their words name, behind words of their own: npx prisma,
// bundle exec rails, poetry run alembic, docker compose run web rails.
var runners = map[string][]string{
	"npx": nil, "bunx": nil, "pnpx": nil, "pnpm": {"exec", "dlx"}, "npm": {"exec", "x"}, "yarn": {"exec", "dlx", "run"}, "bun": {"x", "run"}, "bundle": {"exec"}, "poetry": {"run"}, "pipenv": {"run"}, "uv": {"run"}, "uvx": nil, "rye": {"run"}, "hatch": {"run"}, "pdm": {"run"}, "pipx": {"run"},
	"docker-compose": {"run", "exec"}, "docker": {"run", "exec"}, "podman": {"run", "exec"}, "heroku": {"run"}, "dotenv": nil, "dotenvx": {"run"}, "cross-env": nil, "mise": {"exec", "x"}, "direnv": {"exec"}, "spring": nil, "sail": nil, "ddev": nil, "lando": nil, "symfony": nil, "fly": {"ssh"}, "kubectl": {"exec"},
	"php": nil, "python": nil, "python2": nil, "python3": nil, "ruby": nil, "node": nil, "dotnet": {"tool"}, "sudo": nil, "yarnpkg": nil,
}

// behindRunner are the places among the words of a runner where the program may stand that
// it starts: any word that is no option, behind the word that says so.
func behindRunner(c *Command, is func(name string) bool) []Word {
	starts, runs := runners[c.Name()]
	if !runs {
		return nil
	}
	args := c.arguments()
	if starts != nil {
		at := slices.IndexFunc(args, func(w Word) bool { return slices.Contains(starts, w.Value) })
		switch {
		case at >= 0:
			args = args[at+1:]
		case c.Name() != "yarn" && c.Name() != "pnpm" && c.Name() != "bun":
			return nil // these run programs without any such word
		}
	}
	for i, w := range args[:min(len(args), maxRunnerWords)] {
		if !strings.HasPrefix(w.Value, "-") && is(programName(w.Value)) {
			return args[i:]
		}
	}
	return nil
}

// maxRunnerWords is how many words of a runner are looked at.
const maxRunnerWords = 32

// programName is a program without its directory, its version and what it is written in:
// ./node_modules/.bin/prisma, prisma@5, manage.py.
func programName(word string) string {
	name := word[strings.LastIndexByte(word, '/')+1:]
	if at := strings.IndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	return strings.TrimSuffix(name, ".phar")
}
