package api

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/netip"

	"github.com/danielgtaylor/huma/v2"

	"nanoclaw/internal/process"
)

// decisionTokenHeader carries the token that is printed with the server's address.
const decisionTokenHeader = "X-Decision-Token"

// byPersons marks an operation as a decision: a tool cannot make it.
func byPersons(o *huma.Operation) {
	o.Parameters = append(o.Parameters, headerParam(decisionTokenHeader,
		"The token that the server printed with its address. It is needed where the server cannot tell "+
			"which program asks."))
	if o.Metadata == nil {
		o.Metadata = map[string]any{}
	}
	o.Metadata[decisionTokenHeader] = true
	more := "403 not_a_person: the request comes from a process that the server started for a tool, or that " +
		"cannot be ruled out."
	if o.Description != "" {
		more = o.Description + " " + more
	}
	o.Description = more
}

func isDecision(o huma.Operation) bool { return o.Metadata[decisionTokenHeader] != nil }

// requirePerson refuses a decision that a tool may have made. In auth_mode single
// nothing but its process tells a tool from a person: a tool that can reach the
// server (shell.policy host, an MCP server, an external agent) could otherwise
// approve its own calls. A process below the server is refused even with the token.
func (s *server) requirePerson(ctx context.Context) error {
	r := requestOf(ctx)
	if r.identity != nil && !r.identity.MayDecide() {
		return newProblem(http.StatusForbidden, codeNotAPerson,
			"decisions are for people: sign in, or use a token of scope admin")
	}
	switch s.caller(ctx, r.remote) {
	case process.Outside:
		return nil
	case process.Unknown:
		if r.identity != nil { // a person has signed in, which a tool cannot
			return nil
		}
		if s.DecisionToken != "" && subtle.ConstantTimeCompare([]byte(r.decisionToken), []byte(s.DecisionToken)) == 1 {
			return nil
		}
		return newProblem(http.StatusForbidden, codeNotAPerson,
			"decisions are for people, and the server cannot tell which program asks: "+
				"open the web app with the address for decisions that the server printed when it started, or "+
				"send its token as "+decisionTokenHeader)
	}
	r.logger.Warn("a tool tried to decide for a person", "request_id", r.id, "remote", r.remote)
	return newProblem(http.StatusForbidden, codeNotAPerson,
		"decisions are for people: this request comes from a process that a tool started")
}

// caller says who is at the other end of a request's connection.
func (s *server) caller(ctx context.Context, remote string) process.Caller {
	local, ok := ctx.Value(http.LocalAddrContextKey).(interface{ String() string })
	if !ok {
		return process.Unknown
	}
	here, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return process.Unknown
	}
	there, err := netip.ParseAddrPort(remote)
	if err != nil {
		return process.Unknown
	}
	return s.Caller(here, there)
}
