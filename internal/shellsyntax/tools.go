package shellsyntax

import (
	"strings"
	"sync"
)

// tool adds to what a command runs what its words tell that program in a language of
// its own: command lines, files that it reads or writes, and what a rule is about.
type tool func(c *Command, document *Word, in *inside)

// tools are such programs by their names.
var tools = map[string]tool{
	"sed": sedTool, "gsed": sedTool, "ssed": sedTool,
	"sqlite3": sqliteTool, "duckdb": sqliteTool, "sqlite": sqliteTool, "litecli": sqliteTool,
	"mysql": mysqlTool, "mariadb": mysqlTool, "mycli": mysqlTool, "clickhouse-client": mysqlTool, "sqlcmd": mysqlTool,
	"psql": psqlTool, "pgcli": psqlTool,
	"ex": exTool, "vi": exTool, "vim": exTool, "view": exTool, "nvim": exTool, "gvim": exTool, "rvim": exTool, "rview": exTool, "vimdiff": exTool,
	"make": makeTool, "gmake": makeTool, "parallel": parallelTool, "watch": watchTool, "viddy": watchTool,
	"npm": scriptsTool, "pnpm": scriptsTool, "yarn": scriptsTool, "bun": scriptsTool, "composer": scriptsTool,
	"jq": jqTool, "gojq": jqTool, "jaq": jqTool, "yq": jqTool, "openssl": opensslTool,
	"cargo": cargoTool, "git": gitTool, "perl": perlTool,
	"man": manTool, "split": splitTool, "gsplit": splitTool, "cmake": cmakeTool, "find": findTool, "rsync": rsyncTool,
	"unzip": unpackTool, "tar": unpackTool, "gtar": unpackTool, "bsdtar": unpackTool, "7z": unpackTool, "7za": unpackTool, "cpio": unpackTool, "unrar": unpackTool, "bsdcpio": unpackTool,
	"pwsh": powershellTool, "powershell": powershellTool, "pwsh-preview": powershellTool, "powershell.exe": powershellTool,
}

// insideOf is what a command runs in its turn, and what else its words say.
func insideOf(command *Command, document *Word) inside {
	in := unwrap(command, document)
	tell := tools[command.Name()]
	if tell == nil {
		return in
	}
	told := insides.Get().(*inside)
	defer insides.Put(told)
	*told = in
	tell(command, document, told)
	in, *told = *told, inside{}
	if in.as == "" {
		in.as = command.Name()
	}
	return in
}

// insides are kept, since most commands tell nothing.
var insides = sync.Pool{New: func() any { return &inside{} }}

// Shapes of the rules that are about what a program is told.
const (
	tellsProgram  = "tells_program"  // it makes a program run another one
	tellsTemplate = "tells_template" // git takes hooks from a directory
	unpacksWide   = "unpacks_wide"   // it unpacks over a home directory or the machine
	mirrorsAway   = "mirrors_away"   // it deletes what a directory has
	codedScript   = "coded_script"   // it runs a script that is encoded
	sendsSecured  = "sends_secured"  // it sends what it reads by TLS

	printsVariables = "prints_variables" // it prints the environment

	resetsDatabase = "resets_database"  // it throws away what a database holds
	pushesAway     = "pushes_away"      // it pushes to an address that the line sets
	removesWork    = "removes_worktree" // git removes a working tree with what it has
	removesHosted  = "removes_hosted"   // it removes what a service keeps
)

// shape notes what a rule is about.
func (in *inside) shape(name string) {
	for _, known := range in.shapes {
		if known == name {
			return
		}
	}
	in.shapes = append(in.shapes, name)
}

// run notes a command line that a program runs: what it says is looked at, and that it
// is run is for a person to decide.
func (in *inside) run(line string) {
	in.shape(tellsProgram)
	in.line(line)
}

// line notes a command line that is judged by what it says alone.
func (in *inside) line(line string) {
	if line = strings.TrimSpace(line); line != "" {
		in.scripts = append(in.scripts, line)
	}
}

// reading and writing note files.
func (in *inside) reading(name string) {
	if name != "" {
		in.reads = append(in.reads, Word{Value: name, Static: true})
	}
}

func (in *inside) writing(name string) {
	if name != "" {
		in.writes = append(in.writes, Word{Value: name, Static: true})
	}
}

// tellOf puts what is known of a command's files and shapes where the rules look.
func (z *analyzer) tellOf(command *Command, in *inside) {
	if len(in.reads) > 0 {
		command.ReadsFrom = z.with(command.ReadsFrom, in.reads...)
	}
	if len(in.writes) > 0 {
		command.WritesTo = z.with(command.WritesTo, in.writes...)
	}
	command.shapes = in.shapes
}

// option reads the value of an option of several names: -c X, --command X,
// --command=X, and of short ones -cX and -xcX. next is the place of the word behind;
// found says that the word at i is the option.
func option(args []Word, i int, short string, long ...string) (value Word, next int, found bool) {
	text := args[i].Value
	if len(text) < 2 || text[0] != '-' {
		return Word{}, i, false
	}
	behind := func() (Word, int, bool) {
		if i+1 < len(args) {
			return args[i+1], i + 2, true
		}
		return Word{}, i + 1, true
	}
	name, glued, has := strings.Cut(text, "=")
	for _, one := range long {
		if name != one {
			continue
		}
		if has {
			return part(args[i], glued), i + 1, true
		}
		return behind()
	}
	if short == "" || text[1] == '-' {
		return Word{}, i, false
	}
	at := strings.IndexAny(text[1:], short)
	if at < 0 || !isLetters(text[1:1+at]) {
		return Word{}, i, false
	}
	if rest := text[at+2:]; rest != "" {
		return part(args[i], strings.TrimPrefix(rest, "=")), i + 1, true
	}
	return behind()
}

// part is a piece of a word.
func part(w Word, value string) Word {
	return Word{Value: value, Static: w.Static, Unknown: w.Unknown, Guess: w.Guess}
}

// arguments are the words of a command behind its name.
func (c *Command) arguments() []Word { return c.Words[min(1, len(c.Words)):] }
