// Package browser is the browser of the tool browser_use: one Chromium for the
// server, with an isolated browser context (cookies, storage, cache) for each
// conversation.
//
// It promises: Chromium runs in the sandbox of package sandbox, without a network
// but a proxy that reaches what fetch_page reaches, so that no page, script, socket
// or redirect gets to a private address. It is started with the first use, ended
// when nobody has used it for a while and with the server, and takes nothing along
// but its own pages when it dies. Files pass between it and a project through the
// workspace alone.
//
// It must not know of runs, models or HTTP. Why it is built so is told in
// docs/decisions/0088-browser.md.
package browser
