package guard

import (
	"context"
	"fmt"
	"slices"

	"nanoclaw/internal/tools"
)

// permissionGuardian applies the permissions on files: of everybody, of the
// calling agent's profile, and of every agent above it, so that none gains rights
// by asking another one.
type permissionGuardian struct {
	role     func(ctx context.Context, userID string) (string, error)
	realPath func(ctx context.Context, projectID, path string) (string, error)
}

func (permissionGuardian) name() string { return "permissions" }

func (g permissionGuardian) check(ctx context.Context, in *inspection) ([]finding, error) {
	if !in.reachesAnyFile() && len(in.call.Tool.Files) == 0 {
		return nil, nil
	}
	accesses, err := g.restricted(ctx, in)
	if err != nil {
		return nil, err
	}
	var findings []finding
	profiles := slices.Concat(in.call.Call.Callers, []string{in.call.Call.Profile})
	role, err := g.roleOf(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, access := range accesses {
		if !in.rules.permissions.everybody.permit(role, access) {
			return append(findings, refusal(in, access, "the permissions of this server (guard.permissions)")), nil
		}
		for _, id := range profiles {
			rules, known := in.rules.permissions.profiles[id]
			if !known && id != "" {
				return append(findings, refusal(in, access,
					fmt.Sprintf("the agent %s, which is not configured any more,", id))), nil
			}
			if !rules.permit(role, access) {
				return append(findings, refusal(in, access, fmt.Sprintf("the permissions of the agent %s", id))), nil
			}
		}
	}
	return findings, nil
}

// restricted are the paths that permissions are asked about, with what they lead to by
// way of links: a permission on a link is none on what it leads to.
func (g permissionGuardian) restricted(ctx context.Context, in *inspection) ([]access, error) {
	if in.reachesAnyFile() {
		return []access{{path: ".", operations: operations, below: true}}, nil
	}
	accesses := slices.DeleteFunc(in.accesses(), func(a access) bool { return a.pattern })
	project := in.call.Call.ProjectID
	if g.realPath == nil || project == "" || !in.rules.permissions.restrict {
		return accesses, nil
	}
	all := accesses
	for _, access := range accesses {
		real, err := g.realPath(ctx, project, access.path)
		if err != nil {
			return nil, fmt.Errorf("find where %q leads: %w", access.path, err)
		}
		if real != "" && real != access.path {
			access.path = real
			all = append(all, access)
		}
	}
	return all, nil
}

// roleOf asks for the user's role where a rule wants to know it.
func (g permissionGuardian) roleOf(ctx context.Context, in *inspection) (string, error) {
	if g.role == nil || !in.rules.permissions.byRole {
		return "", nil
	}
	role, err := g.role(ctx, in.call.Call.UserID)
	if err != nil {
		return "", fmt.Errorf("find the role of the user %s: %w", in.call.Call.UserID, err)
	}
	return role, nil
}

func (r fileRules) permit(role string, access access) bool {
	for _, operation := range access.operations {
		if operation == tools.FileList {
			operation = readFile // of rules on files there are three kinds
		}
		if !r.allow(role, operation, access.path) && !access.below || access.below && !r.allowBelow(role, operation,
			access.path) {
			return false
		}
	}
	return true
}

func refusal(in *inspection, access access, who string) finding {
	tool := in.call.Tool.Name
	message, hint := fmt.Sprintf("%s do not let %s work on %q", who, tool, access.path),
		"use another path, or tell the user what is missing"
	switch {
	case in.reachesAnyFile():
		message = fmt.Sprintf("%s restrict files, and %s could reach any of them", who, tool)
		hint = "use the file tools on the paths that are allowed"
	case access.below:
		message += " with everything in it"
		hint = "name a file or a smaller directory that is allowed"
	}
	id := "permissions." + access.operations[len(access.operations)-1]
	f := ruleHead{id, High, actionDeny, message}.finding("permission", access.path)
	f.reason = message + "; no approval can allow it: " + hint
	return f
}
