package eventlog

import "strings"

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
	return subjectPrefix + wild(f.UserID) + "." + wild(f.ConversationID) + "." + wild(f.RunID)
}

// key is the narrowest id of the filter: what the hub looks subscribers up by.
func (f Filter) key() string {
	switch {
	case f.RunID != "":
		return f.RunID
	case f.ConversationID != "":
		return f.ConversationID
	}
	return f.UserID
}

// keys are the ids that a subject's subscribers may have as their key.
func keys(subject string) (user, conversation, run string) {
	rest := strings.TrimPrefix(subject, subjectPrefix)
	user, rest, _ = strings.Cut(rest, ".")
	conversation, run, _ = strings.Cut(rest, ".")
	return user, conversation, run
}
