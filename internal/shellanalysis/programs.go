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

//go:embed data/obfuscations.yaml
var obfuscationsYAML []byte

//go:embed data/wrappers.yaml
var wrappersYAML []byte

// programTable is data/programs.yaml, which says what the fields mean, with the other tables.
type programTable struct {
	Readers      Names               `yaml:"readers"`
	Decoders     Names               `yaml:"decoders"`
	Builtins     Names               `yaml:"builtins"`
	WellKnown    Names               `yaml:"well_known"`
	Subcommands  Names               `yaml:"subcommands"`
	Shells       Names               `yaml:"shells"`
	ChecksOnly   map[string]string   `yaml:"checks_only"`
	Downloaders  map[string][]string `yaml:"downloaders"`
	Interpreters []interpreter       `yaml:"interpreters"`

	wrappers         []wrapper
	wraps            map[string][]*wrapper // by the name of the program
	obfuscationTable `yaml:"-"`
}

// obfuscationTable is data/obfuscations.yaml, which says what the fields mean.
type obfuscationTable struct {
	Characters []deceptiveCharacters `yaml:"characters"`
	Hiding     []hidingPattern       `yaml:"hiding"`
}

// deceptiveCharacters is a row of the table of characters that look like others, or like nothing.
type deceptiveCharacters struct {
	Pattern *regexp.Regexp `yaml:"pattern"`
	Quoted  bool           `yaml:"quoted"`
	Message string         `yaml:"message"`
}

// interpreter is a row of the table of interpreters.
type interpreter struct {
	Names    Names    `yaml:"names"`
	Language string   `yaml:"language"`
	Code     []string `yaml:"code"`
	Bare     bool     `yaml:"bare"`
	File     string   `yaml:"file"`
	Valued   string   `yaml:"valued"`
	Ends     string   `yaml:"ends"`
	Sub      Names    `yaml:"sub"`
}

// wrapper is a row of the table of programs that run other programs.
type wrapper struct {
	Names    Names    `yaml:"names"`
	Sub      []string `yaml:"sub"`
	Options  string   `yaml:"options"`
	Long     []string `yaml:"long"`
	Operands int      `yaml:"operands"`
	Assigns  bool     `yaml:"assigns"`
	Script   []string `yaml:"script"`
	Runs     string   `yaml:"runs"`
}

// hidingPattern is a row of the table of builtins and variables that change what runs.
type hidingPattern struct {
	Names   Names          `yaml:"names"`
	Pattern *regexp.Regexp `yaml:"pattern"`
	Except  *regexp.Regexp `yaml:"except"` // nil: without exception
	Kind    Kind           `yaml:"kind"`
	Message string         `yaml:"message"`
}

// Names are written as one text, with blanks between them.
type Names map[string]bool

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *Names) UnmarshalText(text []byte) error {
	*n = setOf(string(text))
	return nil
}

func setOf(list string) Names {
	set := Names{}
	for _, name := range strings.Fields(list) {
		set[name] = true
	}
	return set
}

// table reads the tables once. They are part of the program.
var table = sync.OnceValue(func() *programTable {
	t := &programTable{wraps: map[string][]*wrapper{}}
	for _, file := range []struct {
		data []byte
		into any
	}{{programsYAML, t}, {wrappersYAML, &t.wrappers}, {obfuscationsYAML, &t.obfuscationTable}} {
		if err := yaml.Load(file.data, file.into, yaml.WithKnownFields()); err != nil {
			panic("shellanalysis: read the tables: " + err.Error())
		}
	}
	for i := range t.wrappers {
		for name := range t.wrappers[i].Names {
			t.wraps[name] = append(t.wraps[name], &t.wrappers[i])
		}
	}
	return t
})
