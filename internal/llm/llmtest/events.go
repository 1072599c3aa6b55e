package llmtest

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// eventWriter frames the chunks, and frames them badly where it is told to.
type eventWriter struct {
	w       http.ResponseWriter
	flusher *http.ResponseController
	reply   Reply
	err     error // of the first write that failed
}

func (e *eventWriter) named(event, data string) {
	e.send("event: " + event + "\ndata: " + data + "\n\n")
}

func (e *eventWriter) event(data string) {
	prefix, newline, end := "data: ", "\n", "\n\n"
	if e.reply.has(NoSpace) {
		prefix = "data:"
	}
	if e.reply.has(CRLF) {
		newline, end = "\r\n", "\r\n\r\n"
	}
	if e.reply.has(NoBlankLines) {
		end = newline
	}
	if e.reply.has(DataLines) && strings.HasPrefix(data, "{") {
		data = strings.Replace(data, `"choices":`, newline+prefix+`"choices":`, 1)
	}
	frame := prefix + data + end
	if e.reply.has(Comments) {
		frame = ": keep-alive" + end + "id: 7" + newline + frame
	}
	e.send(frame)
}

func (e *eventWriter) send(frame string) {
	if e.reply.has(UTF8Split) {
		if cut := strings.IndexFunc(frame, func(r rune) bool { return r >= utf8.RuneSelf }); cut >= 0 {
			e.write(frame[:cut+1])
			frame = frame[cut+1:]
		}
	}
	e.write(frame)
}

func (e *eventWriter) write(text string) {
	if e.err != nil {
		return
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		e.err = err
		return
	}
	e.err = e.flusher.Flush()
}
