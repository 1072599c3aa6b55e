package builtin

import (
	"context"
	_ "embed"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed skill_read.md
var readSkillDoc string

func init() {
	tools.Register(tools.Define("read_skill", readSkillDoc, readSkill,
		tools.Category("skill"), tools.Effect(tools.Volatile),
		tools.Tailor(func(ctx context.Context, call tools.Call, shape *tools.Shape) bool {
			skills, err := services.Get(call.Services, tools.SkillsKey)
			if err != nil {
				return false
			}
			names, err := skills.Names(ctx, call)
			shape.Enum("name", names...)
			return err == nil && len(names) > 0
		})))
}

type readSkillArgs struct {
	Name string `json:"name" jsonschema:"name of the skill" minLength:"1"`
	Path string `json:"path,omitempty" access:"none" jsonschema:"another file of the skill, relative to its directory"`
}

func readSkill(ctx context.Context, call tools.Call, args readSkillArgs) (tools.SkillText, error) {
	skills, err := services.Get(call.Services, tools.SkillsKey)
	if err != nil {
		return tools.SkillText{}, err
	}
	return skills.Read(ctx, call, args.Name, args.Path)
}
