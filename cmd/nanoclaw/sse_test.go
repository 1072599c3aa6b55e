package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func read(t *testing.T, r io.Reader) (events []string, err error) {
	t.Helper()
	err = readEvents(r, func() {}, func(e serverEvent) error {
		events = append(events, fmt.Sprintf("%s=%s", e.id, e.data))
		return nil
	})
	return events, err
}

func TestEventsAreReadAsTheStandardSays(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string]string{
		"":                                  "",
		"id: 1\nevent: x\ndata: a\n\n":      "1=a",
		"id: 1\r\ndata: a\r\n\r\n":          "1=a",
		"id: 1\rdata: a\r\r":                "1=a",
		"data:a\ndata: b\ndata:  c\n\n":     "=a\nb\n c",
		"id: 1\ndata: a\n\ndata: b\n\n":     "1=a|1=b", // the cursor stays
		": beat\n\nid: 1\n: x\ndata: a\n\n": "1=a",
		"id: 1\n\ndata: a\n\n":              "1=a", // an event without data is none
		"id: 1\ndata\n\n":                   "1=",
		"id: 1\x00\ndata: a\n\n":            "=a",
		"id: 1\ndata: cut off":              "",
		"id: 1\ndata: cut off\n":            "",
		"retry: 5\nfoo: bar\ndata: é中\n\n":  "=é中",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(stream),
			"byte by byte": iotest.OneByteReader(strings.NewReader(stream))} {
			got, err := read(t, r)
			if err != nil || strings.Join(got, "|") != want {
				t.Errorf("%q %s: %q, %v; want %q", stream, name, got, err, want)
			}
		}
	}
}

func TestAStreamThatBreaksOrIsRefusedEndsWithItsError(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	got, err := read(t, io.MultiReader(strings.NewReader("id: 1\ndata: a\n\nid: 2\ndata: b"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || strings.Join(got, "|") != "1=a" {
		t.Errorf("%q, %v", got, err)
	}
	err = readEvents(strings.NewReader("data: a\n\ndata: b\n\n"), func() {}, func(serverEvent) error { return broken })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add("id: 1\r\ndata: a\n\n: x\rdata\r\n\r\n", 3)
	f.Fuzz(func(t *testing.T, stream string, size int) {
		whole, err := read(t, strings.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		// Where the network cuts the stream into packets changes nothing.
		pieces, err := read(t, &packets{strings.NewReader(stream), 1 + abs(size)%7})
		if err != nil || strings.Join(pieces, "|") != strings.Join(whole, "|") {
			t.Errorf("%q: %q whole, %q in pieces, %v", stream, whole, pieces, err)
		}
		for _, event := range whole {
			id, _, _ := strings.Cut(event, "=")
			if strings.ContainsAny(id, "\r\n\x00") {
				t.Errorf("a cursor with a line break: %q", id)
			}
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

type packets struct {
	r    io.Reader
	size int
}

func (p *packets) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.size)]) }
