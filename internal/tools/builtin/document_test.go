package builtin

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"nanoclaw/internal/tools"
)

func archiveOf(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, text := range parts {
		part, err := archive.Create(name)
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func workbook(t *testing.T) []byte {
	t.Helper()
	book := excelize.NewFile()
	for cell, value := range map[string]any{"A1": "item", "B1": "price", "A2": "tea", "B2": 2.5, "D2": "note"} {
		if err := book.SetCellValue("Sheet1", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	data, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

const slide = `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>%</a:t></a:r></a:p></p:sld>`

// A22: Word, Excel and PowerPoint files become text, in the order in which people read them.
func TestOfficeDocumentsBecomeText(t *testing.T) {
	t.Parallel()
	word := archiveOf(t, map[string]string{"word/document.xml": `<w:document xmlns:w="w"><w:body>
		<w:p><w:r><w:t>First </w:t></w:r><w:r><w:t>&amp; last</w:t><w:br/><w:delText>gone</w:delText></w:r></w:p>
		<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>
		<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
		</w:body></w:document>`})
	power := archiveOf(t, map[string]string{"ppt/slides/slide10.xml": strings.Replace(slide, "%", "the end", 1),
		"ppt/slides/slide2.xml": strings.Replace(slide, "%", "the start", 1), "ppt/media/x.xml": "<t>no</t>"})
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"word":        {word, "First & last\n\na \tb \t"},
		"power point": {power, "# Slide 2\nthe start\n\n# Slide 10\nthe end"},
		"excel":       {workbook(t), "# Sheet Sheet1\nitem\tprice\ntea\t2.5\t\tnote"},
	} {
		text, err := DocumentText(time.Minute)(t.Context(), c.data)
		if err != nil || text != strings.TrimSpace(c.want) {
			t.Errorf("%s: %q, %v; want %q", name, text, err, c.want)
		}
	}
}

// A22: what cannot be read is said in words, and nothing that a stranger packed takes the server along.
func TestDocumentsThatCannotBeReadSayWhy(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<w:p>", 200_000)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nonsense":    {[]byte("PK\x03\x04 nonsense"), "no document of Word"},
		"another zip": {archiveOf(t, map[string]string{"a.txt": "x"}), "no document of Word"},
		"old format":  {[]byte{0xD0, 0xCF, 0x11, 0xE0, 1, 2, 3}, ".docx"},
		"cut off": {archiveOf(t, map[string]string{"word/document.xml": "<w:document><w:p><w:t>half"}),
			"cannot be read"},
		"deep":               {archiveOf(t, map[string]string{"word/document.xml": deep}), "cannot be read"},
		"no text":            {archiveOf(t, map[string]string{"word/document.xml": "<w:document/>"}), "no text"},
		"half a book":        {workbook(t)[:1500], "no document of Word"},
		"a book of nonsense": {archiveOf(t, map[string]string{"xl/workbook.xml": "<workbook"}), "cannot be read"},
	} {
		text, err := DocumentText(time.Minute)(t.Context(), c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || tools.CodeOf(err) == "" {
			t.Errorf("%s: %q, %v; want an error with %q", name, text, err, c.want)
		}
	}
}
