package browser

import (
	"fmt"
	"strings"

	"nanoclaw/internal/sandbox"
)

// viewport is the size of every tab in CSS pixels.
const (
	viewportWidth  = 1280
	viewportHeight = 800
)

// flags are the arguments of Chromium. Its network is the proxy: it has neither an
// interface nor a name server beside it, and what would pass the proxy by is off.
// Its own sandbox needs what the sandbox around it forbids; see decision 88.
func flags(l launch) []string {
	return []string{
		"--headless", "--remote-debugging-pipe", "--no-startup-window", "--user-data-dir=/tmp/profile",
		"--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-site-isolation-trials",
		"--proxy-server=http://" + sandbox.ProxyAddress, "--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--dns-prefetch-disable",
		"--disable-quic", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-background-networking", "--disable-component-update", "--disable-domain-reliability",
		"--disable-sync", "--disable-default-apps", "--disable-extensions", "--disable-breakpad",
		"--disable-client-side-phishing-detection", "--disable-speech-api", "--disable-notifications",
		"--no-first-run", "--no-default-browser-check", "--no-pings", "--metrics-recording-only", "--mute-audio",
		"--password-store=basic", "--disable-smooth-scrolling", "--disable-hang-monitor",
		"--disable-background-timer-throttling", "--disable-renderer-backgrounding",
		"--disable-backgrounding-occluded-windows", "--enable-automation",
		"--disable-features=" + strings.Join([]string{
			"IsolateOrigins", "site-per-process", "Translate", "MediaRouter",
			"OptimizationHints", "DialMediaRouteProvider", "AutofillServerCommunication", "BackForwardCache",
			"HttpsUpgrades"}, ","),
		fmt.Sprintf("--window-size=%d,%d", viewportWidth, viewportHeight),
		fmt.Sprintf("--js-flags=--max-old-space-size=%d", l.heap>>20),
	}
}
