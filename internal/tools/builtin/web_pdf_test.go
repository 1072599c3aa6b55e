package builtin

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/tools"
)

// tinyPDF is a PDF with a page for each text.
func tinyPDF(pages ...string) []byte {
	var contents []string
	for _, text := range pages {
		escaped := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text)
		contents = append(contents, "BT /F1 12 Tf 72 720 Td ("+escaped+") Tj ET")
	}
	return buildPDF(contents, "")
}

// buildPDF writes a PDF from the drawing instructions of its pages. An extra
// object is number 4.
func buildPDF(contents []string, extra string) []byte {
	var out bytes.Buffer
	offsets := []int{0}
	object := func(body string) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets)-1, body)
	}
	out.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range contents {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(contents)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	object("<< " + extra + " >>")
	for i, content := range contents {
		object(fmt.Sprintf(
			"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "+
				"/Contents %d 0 R >>", 6+2*i))
		var packed bytes.Buffer
		packer := zlib.NewWriter(&packed)
		_, _ = packer.Write([]byte(content))
		_ = packer.Close()
		object(fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", packed.Len(),
			packed.String()))
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets))
	for _, offset := range offsets[1:] {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets), xref)
	return out.Bytes()
}

// BT2
func TestPDFTextKeepsItsLinesAndWords(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"BT /F1 12 Tf 72 720 Td (first) Tj 0 -14 Td (second) Tj T* (third) Tj ET": "first\nsecond\nthird",
		"BT /F1 12 Tf 1 0 0 1 72 700 Tm (same) Tj 1 0 0 1 99 700 Tm (line) Tj ET": "same line",
		"BT 9 700 Td (one) Tj ET BT 30 700 Td (line) Tj ET BT 9 680 Td (two) Tj":  "one line\ntwo",
		"BT /F1 12 Tf [(spa) -20 (ced) -300 (words)] TJ ET":                       "spaced words",
		"BT /F1 12 Tf (a) Tj (b) ' 1 2 (c) \" ET":                                 "a\nb\nc",
		"BT /F1 12 Tf (caf\\351) Tj ET":                                           "café",
		"BT /F9 12 Tf (no such font) Tj ET":                                       "no such font",
		"BT /F1 12 Tf (kept) Tj ] >> ) Tj (":                                      "kept",
		"":                                                                        "",
	} {
		read, err := readPDF(t.Context(), buildPDF([]string{content}, ""), time.Minute)
		if err != nil || read.Text != want || read.Pages != 1 {
			t.Errorf("%s: %+v, %v; want %q", content, read, err, want)
		}
	}
}

// BT2: a PDF that is small and unpacks to gigabytes, and ones without an end.
func TestAPDFIsBoundedInTimeAndMemory(t *testing.T) {
	t.Parallel()
	bomb := buildPDF([]string{"BT /F1 12 Tf (" + strings.Repeat("A", pdfStream) + ") Tj ET",
		"BT /F1 12 Tf (after) Tj ET"}, "")
	read, err := readPDF(t.Context(), bomb, time.Minute)
	if err != nil || !strings.Contains(read.Text, "left out") || !strings.Contains(read.Text, "after") {
		t.Errorf("%q, %v", read.Text[:min(len(read.Text), 100)], err)
	}
	endless := buildPDF([]string{"BT /F1 12 Tf <41"}, "")
	if _, err := readPDF(t.Context(), endless, 500*time.Millisecond); tools.CodeOf(err) != tools.CodeTimeout {
		t.Errorf("a text that never ends: %v", err)
	}
	// The page's content is said to be a table with rows of 32 TB.
	greedy := bytes.Replace(tinyPDF("x"), []byte("/Filter /FlateDecode"),
		[]byte("/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 35184372088832 >>"), 1)
	if _, err := readPDF(t.Context(), greedy, time.Minute); tools.CodeOf(err) != tools.CodeUnavailable {
		t.Errorf("a table that is too large: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := readPDF(stopped, tinyPDF("x"), time.Minute); tools.CodeOf(err) != tools.CodeCancelled {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzPDFText(f *testing.F) {
	f.Add(tinyPDF("hello", "world"))
	f.Add(buildPDF([]string{"BT /F1 12 Tf [(a) -300 (b)] TJ ET"}, "/A 4 0 R"))
	f.Add([]byte("%PDF-1.4\nstartxref\n0\n%%EOF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := readPDF(t.Context(), data, time.Second)
		if err != nil && tools.CodeOf(err) == tools.CodeInternal {
			t.Errorf("%v", err)
		}
	})
}
