// Package web holds the built page of the web app and hands it out as a file
// system. It knows nothing of HTTP and nothing of the rest of the house.
//
// The build (`npm run build` in this folder) writes to dist. Only dist/.gitkeep
// is committed, so that a clean clone compiles before the page is built; Built
// tells the two states apart.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// FS returns the built page, rooted at dist: index.html at the top and hashed,
// immutable files under assets/. Before the first build it holds no page.
func FS() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		// fs.Sub fails only on an invalid path, and this one is a constant.
		panic(err)
	}
	return sub
}

// Built says whether a page was there when the binary was compiled.
func Built() bool {
	info, err := fs.Stat(FS(), "index.html")
	return err == nil && info.Mode().IsRegular()
}
