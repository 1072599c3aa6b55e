package shellanalysis

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

//go:embed data/programs.yaml
var programsYAML []byte

//go:embed data/wrappers.yaml
var wrappersYAML []byte

// programTable is data/programs.yaml, which says what the fields mean, and data/wrappers.yaml.
type programTable struct {
	Readers      names               `yaml:"readers"`
	Decoders     names               `yaml:"decoders"`
	Builtins     names               `yaml:"builtins"`
	WellKnown    names               `yaml:"well_known"`
	Subcommands  names               `yaml:"subcommands"`
	Shells       names               `yaml:"shells"`
	ChecksOnly   map[string]string   `yaml:"checks_only"`
	Downloaders  map[string][]string `yaml:"downloaders"`
	Interpreters []interpreter       `yaml:"interpreters"`
	Hiding       []hidingBuiltin     `yaml:"hiding"`

	wrappers []wrapper
	wraps    map[string][]*wrapper // by the name of the program
}

// interpreter is a row of the table of interpreters.
type interpreter struct {
	Names    names    `yaml:"names"`
	Language string   `yaml:"language"`
	Code     string   `yaml:"code"`
	Long     []string `yaml:"long"`
	Bare     bool     `yaml:"bare"`
	File     string   `yaml:"file"`
	Valued   string   `yaml:"valued"`
	Ends     string   `yaml:"ends"`
	Sub      names    `yaml:"sub"`
}

// wrapper is a row of the table of programs that run other programs.
type wrapper struct {
	Names    names    `yaml:"names"`
	Sub      []string `yaml:"sub"`
	Options  string   `yaml:"options"`
	Long     []string `yaml:"long"`
	Operands int      `yaml:"operands"`
	Assigns  bool     `yaml:"assigns"`
	Script   []string `yaml:"script"`
	Runs     string   `yaml:"runs"`
}

// hidingBuiltin is a row of the table of builtins that change what runs.
type hidingBuiltin struct {
	Names   names          `yaml:"names"`
	Pattern *regexp.Regexp `yaml:"pattern"`
	Except  *regexp.Regexp `yaml:"except"` // nil: without exception
	Kind    Kind           `yaml:"kind"`
	Message string         `yaml:"message"`
}

// names are words separated by blanks.
type names map[string]bool

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *names) UnmarshalText(text []byte) error {
	*n = setOf(string(text))
	return nil
}

func setOf(list string) names {
	set := names{}
	for _, name := range strings.Fields(list) {
		set[name] = true
	}
	return set
}

// table reads the tables once. They are part of the program.
var table = sync.OnceValue(func() *programTable {
	t := &programTable{wraps: map[string][]*wrapper{}}
	if err := yaml.Load(programsYAML, t, yaml.WithKnownFields()); err != nil {
		panic("shellanalysis: read the table of programs: " + err.Error())
	}
	if err := yaml.Load(wrappersYAML, &t.wrappers, yaml.WithKnownFields()); err != nil {
		panic("shellanalysis: read the table of wrappers: " + err.Error())
	}
	for i := range t.wrappers {
		for name := range t.wrappers[i].Names {
			t.wraps[name] = append(t.wraps[name], &t.wrappers[i])
		}
	}
	return t
})
