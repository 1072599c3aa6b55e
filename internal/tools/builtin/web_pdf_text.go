package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// pdfText reads the text of all pages. It runs in the helper process: the
// library panics on broken files, which is a failure here, and may not return.
func pdfText(data []byte) (reading pdfReading) {
	defer func() {
		if p := recover(); p != nil {
			reading.Text, reading.Failure = "", fmt.Sprint(p)
		}
	}()
	reader, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if errors.Is(err, pdf.ErrInvalidPassword) {
		return pdfReading{Failure: "it is encrypted with a password"}
	}
	if err != nil {
		return pdfReading{Failure: err.Error()}
	}
	var out strings.Builder
	pages := reader.NumPage()
	for number := 1; number <= min(pages, pdfPages) && out.Len() <= maxWebText; number++ {
		page := pdfPage{page: reader.Page(number), out: &out, fonts: map[string]pdf.TextEncoding{}}
		page.read()
		out.WriteString("\n\n")
	}
	return pdfReading{Text: cleanPDFText(out.String()), Pages: pages}
}

// cleanPDFText drops what no reader sees and more than one empty line in a row.
func cleanPDFText(text string) string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(text, "\uFFFD")) {
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && r != '\t' {
				return -1
			}
			return r
		}, line))
		if line != "" || (len(lines) > 0 && lines[len(lines)-1] != "") {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// tooGreat says whether a stream is more than pdfStream when decompressed.
func tooGreat(stream pdf.Value) bool {
	if stream.Kind() != pdf.Stream {
		return false
	}
	body := stream.Reader()
	defer body.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(body, pdfStream+1))
	return err != nil || n > pdfStream
}
