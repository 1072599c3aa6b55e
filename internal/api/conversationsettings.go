package api

import (
	"strings"

	"nanoclaw/internal/models"
)

// ConversationSettings are what a person may set.
type ConversationSettings struct {
	Title          Optional[string]   `json:"title,omitempty" maxLength:"500" doc:"A title that was given is never replaced by a generated one; null gives it free."`
	ProjectID      Optional[string]   `json:"project_id,omitempty" doc:"null: no project."`
	Agent          Optional[string]   `json:"agent,omitempty" doc:"One of GET /agents; null: the default one."`
	Model          Optional[string]   `json:"model,omitempty" doc:"One of GET /models; null: the agent's, or the default one."`
	SystemPrompt   Optional[string]   `json:"system_prompt,omitempty" maxLength:"200000" doc:"Added to the agent's."`
	Temperature    Optional[float64]  `json:"temperature,omitempty" minimum:"0" maximum:"2" doc:"null: the model's default."`
	MaxTokens      Optional[int]      `json:"max_tokens,omitempty" minimum:"1" maximum:"10000000" doc:"null: the model's default."`
	Thinking       Optional[string]   `json:"thinking,omitempty" enum:",on,off,low,medium,high" doc:"Ask for reasoning, how much of it where the provider knows that, or against it; empty or null: the model's default."`
	ToolsEnabled   Optional[bool]     `json:"tools_enabled,omitempty" doc:"true where left out."`
	PermissionMode Optional[string]   `json:"permission_mode,omitempty" enum:"auto,ask,edits,plan" doc:"What agents do here without asking, never more than guard.level allows. auto: all of that. edits: what reads, and edits of files. ask: what reads alone. plan: what changes something is refused. Only people change it."`
	Pinned         Optional[bool]     `json:"pinned,omitempty"`
	Archived       Optional[bool]     `json:"archived,omitempty" doc:"An archived conversation is in the list of archived ones alone."`
	Unread         Optional[bool]     `json:"unread,omitempty"`
	Tags           Optional[[]string] `json:"tags,omitempty" doc:"All of them: at most 20 of at most 50 characters each. Upper and lower case are the same tag."`
}

// apply changes what was sent. Project and active leaf are checked by the store.
func (s *server) apply(in *ConversationSettings, conv *models.Conversation) error {
	if in.Agent.Set {
		if err := s.checkAgent(in.Agent.Value); err != nil {
			return err
		}
	}
	if err := s.checkModel(in.Model.Value); err != nil {
		return err
	}
	if in.Tags.Set {
		var err error
		if conv.Tags, err = checkTags(in.Tags.Value); err != nil {
			return err
		}
	}
	if in.Title.Set {
		conv.Title = strings.TrimSpace(in.Title.Value)
		conv.TitleGiven = conv.Title != ""
	}
	in.ProjectID.into(&conv.ProjectID)
	in.Agent.into(&conv.Agent)
	in.Model.into(&conv.Model)
	in.SystemPrompt.into(&conv.SystemPrompt)
	in.MaxTokens.into(&conv.MaxTokens)
	in.Thinking.into(&conv.Thinking)
	in.PermissionMode.into(&conv.PermissionMode)
	in.Pinned.into(&conv.Pinned)
	in.Archived.into(&conv.Archived)
	in.Unread.into(&conv.Unread)
	if in.Temperature.Set {
		conv.Temperature = nil
		if !in.Temperature.Null {
			conv.Temperature = &in.Temperature.Value
		}
	}
	if in.ToolsEnabled.Set {
		conv.ToolsEnabled = in.ToolsEnabled.Value || in.ToolsEnabled.Null
	}
	return nil
}

func (s *server) checkAgent(id string) error {
	if _, known := s.Runs.Profile(id); known {
		return nil
	}
	p := invalidField("body.agent", "there is no agent "+quoted(id)+": GET /agents lists them")
	p.Code = "unknown_agent"
	return p
}

func quoted(text string) string {
	const longest = 100
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return `"` + text + `"`
}

// checkModel names the models that there are.
func (s *server) checkModel(id string) error {
	if id == "" || s.knowsModel(id) {
		return nil
	}
	p := invalidField("body.model", "there is no model "+quoted(id)+"; there are "+s.modelNames())
	p.Code = "unknown_model"
	return p
}

func (s *server) knowsModel(id string) bool {
	for _, info := range s.Models.List() {
		if info.ID == id {
			return true
		}
	}
	return false
}

func (s *server) modelNames() string {
	var names []string
	for _, info := range s.Models.List() {
		if !info.Disabled {
			names = append(names, info.ID)
		}
	}
	return strings.Join(names, ", ")
}
