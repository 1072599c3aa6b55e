package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nanoclaw/internal/tools"
)

// Bounds of what one PDF may cost.
const (
	pdfTime   = 10 * time.Second
	pdfPages  = 500
	pdfStream = 16 << 20 // bytes of one decompressed stream
)

// fromPDF fills the page with the text of a PDF, pages apart by an empty line.
func (p *webPage) fromPDF(ctx context.Context, a *webAnswer) error {
	if a.Truncated {
		return tools.Errorf("too_large",
			"the PDF is larger than the %d bytes that are read, and its parts cannot be read without its end",
			len(a.Body))
	}
	read, err := readPDF(ctx, a.Body, pdfTime)
	if err != nil {
		return err
	}
	p.setContent(read.Text)
	p.Note = fmt.Sprintf("text of a PDF with %d pages", read.Pages)
	switch {
	case strings.TrimSpace(read.Text) == "":
		p.Note = fmt.Sprintf("a PDF with %d pages and no text in it: it is perhaps a scan", read.Pages)
	case read.Pages > pdfPages:
		p.Note, p.Truncated = fmt.Sprintf("text of the first %d pages of a PDF with %d pages", pdfPages, read.Pages),
			true
	}
	return nil
}

// pdfReading is what pdfHelper answers.
type pdfReading struct {
	Text    string `json:"text"`
	Pages   int    `json:"pages"`
	Failure string `json:"failure,omitempty"`
}

// pdfHelper reads PDFs: a file that is made for it drives the library round in
// circles or out of memory.
var pdfHelper = &helper{name: "pdf", memory: 1 << 30, stack: 64 << 20, answer: 16 * maxWebText,
	work: func(in []byte) (any, error) { return pdfText(in), nil }}

// readPDF has the text read by a helper process.
func readPDF(ctx context.Context, data []byte, limit time.Duration) (pdfReading, error) {
	var reading pdfReading
	err := pdfHelper.run(ctx, data, limit, &reading)
	switch {
	case errors.Is(err, errHelperTime):
		return reading, tools.Errorf(tools.CodeTimeout, "the PDF could not be read within %v", limit)
	case errors.Is(err, errHelperDied):
		return reading, tools.Errorf(tools.CodeUnavailable,
			"the PDF cannot be read: it takes too much memory or is broken")
	case err != nil:
		return reading, fmt.Errorf("read the PDF: %w", err)
	case reading.Failure != "":
		return reading, tools.Errorf(tools.CodeUnavailable, "the PDF cannot be read: %s", shortened(reading.Failure))
	}
	return reading, nil
}
