package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/config"
)

// Issue 10, point 9: a body that drips is answered with 408, one that goes on slowly
// but steadily is taken, and an answer may take longer than a body. The time is that of
// the bubble: nobody waits.
func TestABodyHasToGoOnArriving(t *testing.T) {
	t.Parallel()
	send := func(t *testing.T, route string, length, part int, pause time.Duration) *http.Response {
		client, ours := net.Pipe()
		c := config.Default()
		s := &server{Options: Options{Live: config.Fixed(c)}, echo: echo.New()}
		s.echo.HTTPErrorHandler = s.answerError
		s.echo.Use(s.limitBody)
		s.echo.POST("/", func(c echo.Context) error {
			n, err := io.Copy(io.Discard, c.Request().Body)
			if err != nil {
				return err
			}
			time.Sleep(time.Hour) // of the bubble
			return c.String(http.StatusOK, fmt.Sprint(n))
		})
		s.api = humaecho.New(s.echo, huma.DefaultConfig("test", "1"))
		handle(s, op(http.MethodPut, "/json", "put-text", "test", "Puts a text"), func(context.Context,
			*struct{ Body string }) (*struct{}, error) {
			return nil, nil
		})
		listener := &oneConnection{conn: ours, closed: make(chan struct{})}
		web := &http.Server{Handler: s.echo}
		served := make(chan error, 1)
		go func() { served <- web.Serve(listener) }()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			fmt.Fprintf(client, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", route, length)
			for left := length; left > 0; left -= part {
				time.Sleep(pause)
				if _, err := io.WriteString(client, strings.Repeat("x", min(part, left))); err != nil {
					return
				}
			}
		}()
		response, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body = io.NopCloser(strings.NewReader(string(text)))
		client.Close()
		web.Close()
		<-sent
		<-served
		return response
	}
	for _, route := range []string{"POST /", "PUT /json"} { // read by a handler, and by huma
		synctest.Test(t, func(t *testing.T) {
			answer := send(t, route, 10<<10, 1, 10*time.Second)
			text := answeredText(t, answer)
			if answer.StatusCode != http.StatusRequestTimeout || !strings.Contains(text, `"code":"request_timeout"`) ||
				!strings.Contains(text, "http.body_timeout") {
				t.Errorf("%s, a byte every 10 s: %d %s", route, answer.StatusCode, text)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // 1 KiB a second, for 10 minutes
		if answer := send(t, "POST /", 600<<10, 1<<10, time.Second); answer.StatusCode != http.StatusOK ||
			answeredText(t, answer) != fmt.Sprint(600<<10) {
			t.Errorf("a slow line: %d", answer.StatusCode)
		}
	})
}

// oneConnection is a listener with one connection.
type oneConnection struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConnection) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConnection) Close() error {
	close(l.closed)
	return nil
}

func (l *oneConnection) Addr() net.Addr { return &net.TCPAddr{} }

// Issue 10, point 8: many wrong keys are answered with ten errors, and the work grows
// with the body, not with its square.
func TestManyUnknownKeysAreAnsweredWithTenErrors(t *testing.T) { // not parallel: it counts allocations
	h := newHouse(t)
	body := func(keys int) string {
		var b strings.Builder
		for i := range keys {
			fmt.Fprintf(&b, `,"key%d":1`, i)
		}
		return `{"name":"p"` + b.String() + "}"
	}
	a := h.do("POST", "/api/v1/projects", body(900), "Content-Type", "application/json").is(422,
		`"code":"invalid_arguments"`)
	if problem := into[Problem](a); len(problem.Errors) != 10 {
		t.Errorf("%d errors", len(problem.Errors))
	}
	h.do("POST", "/api/v1/projects", body(4000), "Content-Type", "application/json").is(400, `"code":"invalid_json"`,
		"1000 keys")
	h.do("POST", "/api/v1/projects", `{"name":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+"}", "Content-Type",
		"application/json").
		is(400, `"code":"invalid_json"`, "deep")
	h.do("POST", "/api/v1/projects", `{"name":"a, b: {[","description":"\"{[{["}`, "Content-Type",
		"application/json").is(201)
	used := func(keys int) float64 {
		text := body(keys)
		return testing.AllocsPerRun(3, func() {
			problem := humaProblem(422, "", validated(h, text))
			if len(problem.Errors) != 10 {
				t.Errorf("%d errors", len(problem.Errors))
			}
		})
	}
	if few, many := used(100), used(800); many > 12*few {
		t.Errorf("100 keys cost %.0f allocations, 800 cost %.0f", few, many)
	}
}

// Issue 10: no name of a Go type or package reaches a client.
func TestProblemsDoNotShowGosTypes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.newConversation(m{})
	for _, request := range []struct{ method, path, body string }{
		{"POST", "/api/v1/projects", `{"name":1}`},
		{"POST", "/api/v1/projects", `{"name":"a"`},
		{"POST", "/api/v1/projects", `nonsense`},
		{"POST", "/api/v1/projects", `[]`},
		{"POST", "/api/v1/conversations/" + c.ID + "/runs", `{"text":"x","attachments":[{"name":"a","data":"%%%"}]}`},
		{"POST", "/api/v1/conversations/" + c.ID + "/runs", `{"text":"x","attachments":[{"name":"a","size":1e400}]}`},
		{"POST", "/api/v1/conversations/" + c.ID + "/runs",
			`{"text":"x","attachments":[{"name":"a","size":99999999999999999999}]}`},
		{"POST", "/api/v1/conversations/" + c.ID + "/runs", `{"text":"x","attachments":[{"name":"a","size":1.5}]}`},
		{"POST", "/api/v1/conversations/import",
			`{"format":"nanoclaw.conversation/1","conversation":{"created_at":"yesterday"},"messages":[]}`},
		{"PUT", "/api/v1/config", `{"changes":{"max_iterations":{"a":[1]}}}`},
	} {
		a := h.do(request.method, request.path, request.body, "Content-Type", "application/json")
		for _, leak := range []string{"json:", "unmarshal", "Go ", "struct", "api.", "reflect", "strconv",
			"nanoclaw/internal", "int64", "map["} {
			if a.status < 400 || strings.Contains(a.body, leak) {
				t.Errorf("%s is answered with %d and %q: %s", request.body, a.status, leak, a.body)
			}
		}
	}
	form := h.do("POST", "/api/v1/uploads", "--x\r\nbroken", "Content-Type", "multipart/form-data; boundary=x")
	if form.is(400); strings.Contains(form.body, "multipart:") || strings.Contains(form.body, "EOF") {
		t.Error(form.body)
	}
}
