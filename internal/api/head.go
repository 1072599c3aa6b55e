package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// headAdapter answers HEAD on every route that takes GET. The HTTP server leaves the
// body out.
type headAdapter struct{ huma.Adapter }

func (a headAdapter) Handle(o *huma.Operation, handler func(huma.Context)) {
	a.Adapter.Handle(o, handler)
	if o.Method == http.MethodGet {
		head := *o
		head.Method = http.MethodHead
		a.Adapter.Handle(&head, handler)
	}
}
