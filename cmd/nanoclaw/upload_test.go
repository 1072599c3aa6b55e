//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Issue 10: uploads of 90 MB each, in every way there is, and their way back cost the
// process a fraction of their size, not several times as much.
func TestLargeUploadsDoNotCostTheirSizeInMemory(t *testing.T) {
	const size, allowed = 90 << 20, 60 << 20
	i := newInvocation(t)
	i.configure(quiet + "workspace: {max_file_size: 200MiB}\n")
	p := i.process("serve", "--listen", "127.0.0.1:0")
	url := p.out.await(t, "NanoClaw is ready at ") + "/api/v1"
	var project struct{ ID string }
	if err := newClient(strings.TrimSuffix(url, "/api/v1")).call(t.Context(), "POST", "/projects",
		map[string]string{"name": "p"}, &project); err != nil {
		t.Fatal(err)
	}
	before := peakMemory(t, p.Process.Pid)
	send := func(method, path, contentType string, body io.Reader) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", contentType)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusCreated {
			t.Fatalf("%s %s: %d %s %v", method, path, response.StatusCode, text, err)
		}
		return response.Header.Get("Location")
	}
	body, contentType := largeForm(size)
	location := send("POST", "/uploads", contentType, body)
	body, contentType = largeForm(size)
	send("POST", "/projects/"+project.ID+"/upload", contentType, body)
	send("PUT", "/projects/"+project.ID+"/files/put.bin", "application/octet-stream", zeros(size))
	back, err := http.Get(strings.TrimSuffix(url, "/api/v1") + location)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Body.Close()
	if n, err := io.Copy(io.Discard, back.Body); err != nil || n != size {
		t.Errorf("%d bytes came back, %v", n, err)
	}
	grown := peakMemory(t, p.Process.Pid) - before
	t.Logf("the peak of resident memory was %d MB and grew by %d MB", before>>20, grown>>20)
	if grown > allowed {
		t.Errorf("four transfers of %d MB made the peak of resident memory grow by %d MB", size>>20, grown>>20)
	}
}

func zeros(size int64) io.Reader { return io.LimitReader(nothing{}, size) }

type nothing struct{}

func (nothing) Read(p []byte) (int, error) { return len(p), nil }

// largeForm is a form with one file that is made while it is sent.
func largeForm(size int64) (io.Reader, string) {
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() {
		part, err := form.CreateFormFile("file", "large.bin")
		if err == nil {
			_, err = io.Copy(part, zeros(size))
		}
		if err == nil {
			err = form.Close()
		}
		writer.CloseWithError(err)
	}()
	return reader, form.FormDataContentType()
}

// peakMemory is the greatest resident memory that a process has had, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("this system does not tell a process's peak of memory: ", err)
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.Fields(text)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatal("there is no VmHWM")
	return 0
}
