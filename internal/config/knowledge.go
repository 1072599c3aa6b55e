package config

// Skills are instructions for kinds of tasks, in the Agent Skills format.
type Skills struct {
	Enabled     bool   `yaml:"enabled" doc:"Tell agents of skills and offer read_skill where there are some."`
	Dir         string `yaml:"dir" reload:"restart" doc:"Directory whose directories are skills for every conversation, each with a SKILL.md. Empty: skills in data_dir. Projects have their own in skills."`
	MaxSize     Size   `yaml:"max_size" check:"min=1KiB,max=1MiB" doc:"Size of a SKILL.md, and of another file of a skill that a model reads."`
	MaxCount    int    `yaml:"max_count" check:"min=1,max=1000" doc:"Skills that are used of one directory; those after them by name are not."`
	ListingSize Size   `yaml:"listing_size" check:"min=256,max=1MiB" doc:"Bytes of names and descriptions in a prompt; skills after them are listed by name alone."`
}

// Memory is what files of a project say to every run in it.
type Memory struct {
	Enabled         bool `yaml:"enabled" doc:"Tell agents what MEMORY.md says and memory/ holds, and that they may note what matters later. A project can switch it off."`
	MaxSize         Size `yaml:"max_size" check:"min=256,max=1MiB" doc:"Bytes of MEMORY.md that agents are told."`
	MaxFiles        int  `yaml:"max_files" check:"min=1,max=10000" doc:"Files of memory/ that agents are told the names of."`
	InstructionsMax Size `yaml:"instructions_max_size" check:"min=0,max=1MiB" doc:"Bytes of a project's AGENTS.md that agents are told. 0: none."`
}
