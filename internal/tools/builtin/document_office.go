package builtin

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// officePart is how much of one part of a document is read once it is unpacked, bytes.
const officePart = 64 << 20

// officeText reads a document; it runs in the helper process.
func officeText(data []byte) (reading officeReading) {
	defer func() {
		if p := recover(); p != nil {
			reading = officeReading{Failure: fmt.Sprint(p)}
		}
	}()
	text, err := readParts(data)
	if err != nil {
		return officeReading{Failure: err.Error()}
	}
	return officeReading{Text: strings.TrimSpace(text[:min(len(text), maxWebText)])}
}

var slideName = regexp.MustCompile(`^ppt/slides/slide(\d+)\.xml$`)

// readParts reads the parts with text, in the order in which people read them.
func readParts(data []byte) (string, error) {
	if bytes.HasPrefix(data, []byte{0xD0, 0xCF, 0x11, 0xE0}) {
		return "", errors.New("it is of an old format or has a password: save it as .docx, .xlsx or .pptx without one")
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", fmt.Errorf("it is no document of Word, Excel or PowerPoint: %w", err)
	}
	slides := map[int]*zip.File{}
	for _, part := range archive.File {
		switch {
		case part.Name == "word/document.xml":
			return partText(part)
		case part.Name == "xl/workbook.xml":
			return sheetsText(data)
		}
		if found := slideName.FindStringSubmatch(part.Name); found != nil {
			number, _ := strconv.Atoi(found[1])
			slides[number] = part
		}
	}
	if len(slides) == 0 {
		return "", errors.New("it is no document of Word, Excel or PowerPoint")
	}
	return slidesText(slides)
}

func slidesText(slides map[int]*zip.File) (string, error) {
	var numbers []int
	for number := range slides {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	var out strings.Builder
	for _, number := range numbers {
		text, err := partText(slides[number])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "# Slide %d\n%s\n\n", number, strings.TrimSpace(text))
		if out.Len() > maxWebText {
			break
		}
	}
	return out.String(), nil
}

// partText is the text of a part of Word or PowerPoint: one line for each paragraph and
// for each row of a table, whose cells are apart by tabs.
func partText(part *zip.File) (string, error) {
	content, err := part.Open()
	if err != nil {
		return "", fmt.Errorf("open %s: %w", part.Name, err)
	}
	defer content.Close()
	decoder := xml.NewDecoder(io.LimitReader(content, officePart))
	var out strings.Builder
	cells, isText := 0, false
	for out.Len() <= maxWebText {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("read %s: %w", part.Name, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			isText = t.Name.Local == "t"
			switch t.Name.Local {
			case "tc":
				cells++
			case "tab":
				out.WriteByte('\t')
			case "br", "cr":
				out.WriteByte('\n')
			}
		case xml.EndElement:
			isText = false
			switch t.Name.Local {
			case "tc":
				cells--
				out.WriteByte('\t')
			case "tr":
				out.WriteByte('\n')
			case "p":
				out.WriteByte(map[bool]byte{true: ' ', false: '\n'}[cells > 0])
			}
		case xml.CharData:
			if isText {
				out.Write(t)
			}
		}
	}
	return out.String(), nil
}

// sheetsText is all sheets of a workbook: a line for each row, cells apart by tabs.
func sheetsText(data []byte) (string, error) {
	book, err := excelize.OpenReader(bytes.NewReader(data),
		excelize.Options{UnzipSizeLimit: 4 * officePart, UnzipXMLSizeLimit: officePart})
	if err != nil {
		return "", err
	}
	defer book.Close()
	var out strings.Builder
	for _, sheet := range book.GetSheetList() {
		fmt.Fprintf(&out, "# Sheet %s\n", sheet)
		rows, err := book.Rows(sheet)
		if err != nil {
			continue // a sheet of charts has no rows
		}
		for rows.Next() && out.Len() <= maxWebText {
			cells, err := rows.Columns()
			if err != nil {
				return "", fmt.Errorf("read the sheet %q: %w", sheet, err)
			}
			out.WriteString(strings.TrimRight(strings.Join(cells, "\t"), "\t") + "\n")
		}
		if err := errors.Join(rows.Error(), rows.Close()); err != nil {
			return "", fmt.Errorf("read the sheet %q: %w", sheet, err)
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
}
