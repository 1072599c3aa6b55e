package eventlog

import (
	"slices"
	"strings"
)

const subjectPrefix = "events."

// EventSubject is where events of a root run go: events.<user>.<conversation>.<root run>.
// What belongs to no run has the run "-".
func EventSubject(userID, conversationID, rootRunID string) string {
	if rootRunID == "" {
		rootRunID = "-"
	}
	return subjectPrefix + userID + "." + conversationID + "." + rootRunID
}

// WorkSubject is where work messages go.
const WorkSubject = workSubject

// Filter says whose events a subscription sees; empty fields are wild. RunID is a
// root run's. What is shown to a client has a UserID: without one it sees everybody's.
type Filter struct {
	UserID         string
	Also           []string // more users; the caller drops what is not to be seen of theirs
	ConversationID string
	RunID          string
}

func (f Filter) subject() string {
	wild := func(s string) string {
		if s == "" {
			return "*"
		}
		return s
	}
	user := f.UserID
	if len(f.Also) > 0 {
		user = ""
	}
	return subjectPrefix + wild(user) + "." + wild(f.ConversationID) + "." + wild(f.RunID)
}

// keys are the narrowest ids of the filter: what the hub looks subscribers up by.
func (f Filter) keys() []string {
	switch {
	case f.RunID != "":
		return []string{f.RunID}
	case f.ConversationID != "":
		return []string{f.ConversationID}
	}
	return append([]string{f.UserID}, f.Also...)
}

// passes says of a stored event's subject, which subject selects, whether it is of the users.
func (f Filter) passes(subject string) bool {
	user, _, _ := keys(subject)
	return len(f.Also) == 0 || user == f.UserID || slices.Contains(f.Also, user)
}

// keys are the ids that a subject's subscribers may have as their key.
func keys(subject string) (user, conversation, run string) {
	rest := strings.TrimPrefix(subject, subjectPrefix)
	user, rest, _ = strings.Cut(rest, ".")
	conversation, run, _ = strings.Cut(rest, ".")
	return user, conversation, run
}
