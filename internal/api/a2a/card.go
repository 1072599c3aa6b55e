package a2a

import (
	"net/http"

	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/runs"
)

// card answers with the agent card: that of one agent, or of the server, whose skills
// are its agents. What is public in auth_mode multi names no agent but the default one.
func (h *handler) card(w http.ResponseWriter, r *http.Request) {
	of, endpoint := r.PathValue("agent"), Prefix
	if of != "" {
		endpoint += "/" + of
	}
	id := of
	if id == runs.DefaultAgent {
		id = ""
	}
	profile, known := h.Runs.Profile(id)
	if !known {
		WriteError(w, http.StatusNotFound, "unknown_agent", "there is no agent "+of)
		return
	}
	name, description := profile.Name, profile.Description
	if of == "" {
		name = "NanoClaw"
	}
	if description == "" {
		description = "Agents that use tools, and ask a person where it matters."
	}
	multi := h.Live.Current().AuthMode == "multi"
	card := object{
		"name": name, "description": description, "version": h.Version,
		"supportedInterfaces": []object{{"url": origin(r) + endpoint, "protocolBinding": "JSONRPC",
			"protocolVersion": "1.0"}},
		"capabilities":       object{"streaming": true, "pushNotifications": false, "extendedAgentCard": false},
		"defaultInputModes":  []string{"text/plain", "application/json", "image/png", "image/jpeg", "image/webp"},
		"defaultOutputModes": []string{"text/plain"},
		"skills":             h.skills(of, multi),
	}
	if multi {
		card["securitySchemes"] = object{"token": object{"httpAuthSecurityScheme": object{"scheme": "Bearer",
			"description": "An API token of scope run; of scope admin to decide on approvals."}}}
		card["securityRequirements"] = []object{{"schemes": object{"token": object{"list": []string{}}}}}
	}
	wire.WriteJSON(w, http.StatusOK, card)
}

func (h *handler) skills(of string, multi bool) []object {
	list := []object{}
	add := func(id, name, description string) {
		if of != "" && of != id {
			return
		}
		if description == "" {
			description = name
		}
		list = append(list, object{"id": id, "name": name, "description": description, "tags": []string{"agent"}})
	}
	profile, _ := h.Runs.Profile("")
	add(runs.DefaultAgent, profile.Name, profile.Description)
	if multi && of == "" {
		return list
	}
	for _, agent := range h.Live.Current().Agents {
		if agent.ID != runs.DefaultAgent {
			add(agent.ID, agent.Name, agent.Description)
		}
	}
	return list
}

// origin is where the client has reached this server.
func origin(r *http.Request) string {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
