package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// serveProfiles serves Go's profiles below /debug/pprof/ at a loopback address
// until stop is called. Profiles hold parts of memory, so no other address is taken.
func serveProfiles(address string) (url string, stop func(), err error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return "", nil, fmt.Errorf("--pprof %q is not an address such as 127.0.0.1:6060: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", nil, fmt.Errorf("--pprof %q is not a loopback address: profiles hold parts of memory; use 127.0.0.1",
			address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("listen for --pprof: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: onlyLoopbackHosts(mux), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with stop
	}()
	stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		<-done
	}
	return "http://" + listener.Addr().String() + "/debug/pprof/", stop, nil
}

// onlyLoopbackHosts keeps web pages from reading profiles through a name of their own.
func onlyLoopbackHosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "only loopback hosts may read profiles", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
