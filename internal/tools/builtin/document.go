package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nanoclaw/internal/tools"
)

// officeReading is what officeHelper answers.
type officeReading struct {
	Text    string `json:"text"`
	Failure string `json:"failure,omitempty"`
}

// officeHelper reads office documents: archives of XML that a stranger has packed.
var officeHelper = &helper{name: "office", memory: 1 << 30, stack: 64 << 20, answer: 16 * maxWebText,
	work: func(in []byte) (any, error) { return officeText(in), nil }}

// DocumentText reads the text of a PDF, or of a Word, Excel or PowerPoint file of the XML
// formats, within a time. Errors have a code and say why there is none; a document without
// any text is one.
func DocumentText(within time.Duration) func(ctx context.Context, data []byte) (string, error) {
	return func(ctx context.Context, data []byte) (string, error) { return documentText(ctx, data, within) }
}

func documentText(ctx context.Context, data []byte, within time.Duration) (string, error) {
	var text string
	var err error
	if bytes.HasPrefix(data, []byte("%PDF-")) {
		var reading pdfReading
		reading, err = readPDF(ctx, data, within)
		text = reading.Text
	} else {
		text, err = readOffice(ctx, data, within)
	}
	if err == nil && strings.TrimSpace(text) == "" {
		err = tools.Errorf(tools.CodeUnavailable, "there is no text in it: it is perhaps a scan")
	}
	return text, err
}

// readOffice has the text read by a helper process.
func readOffice(ctx context.Context, data []byte, within time.Duration) (string, error) {
	var reading officeReading
	err := officeHelper.run(ctx, data, within, &reading)
	switch {
	case errors.Is(err, errHelperTime):
		return "", tools.Errorf(tools.CodeTimeout, "the document could not be read within %v", within)
	case errors.Is(err, errHelperDied):
		return "", tools.Errorf(tools.CodeUnavailable,
			"the document cannot be read: it takes too much memory or is broken")
	case err != nil:
		return "", fmt.Errorf("read the document: %w", err)
	case reading.Failure != "":
		return "", tools.Errorf(tools.CodeUnavailable, "the document cannot be read: %s", shortened(reading.Failure))
	}
	return reading.Text, nil
}
