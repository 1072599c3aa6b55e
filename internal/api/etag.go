package api

import (
	"net/http"
	"strconv"
	"strings"
)

// versionTag is the ETag of a row.
func versionTag(version int64) string { return `"v` + strconv.FormatInt(version, 10) + `"` }

// PathID is the id of what a route is about.
type PathID struct {
	ID string `path:"id"`
}

// IfMatchInput is the condition of a change.
type IfMatchInput struct {
	IfMatch string `header:"If-Match" doc:"The ETag that was read: a change made meanwhile is answered with 412."`
}

// version is what a row's If-Match expects; 0 is any.
func (in IfMatchInput) version() (int64, error) {
	tags := entityTags(in.IfMatch)
	if len(tags) == 0 || tags[0] == "*" {
		return 0, nil
	}
	if len(tags) > 1 {
		return 0, invalidField("header.If-Match", "give one ETag")
	}
	text, ok := strings.CutPrefix(tags[0], "v")
	version, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil || version <= 0 {
		return 0, stale()
	}
	return version, nil
}

func stale() *Problem {
	return newProblem(http.StatusPreconditionFailed, codePrecondition, "it was changed meanwhile: read it again")
}

// entityTags reads a list of ETags without their quotes. A weak one stands for no
// bytes: it stays as it is and so matches nothing.
func entityTags(header string) []string {
	var tags []string
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimSpace(tag)
		if len(tag) >= 2 && strings.HasPrefix(tag, `"`) && strings.HasSuffix(tag, `"`) {
			tag = tag[1 : len(tag)-1]
		}
		if tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}
