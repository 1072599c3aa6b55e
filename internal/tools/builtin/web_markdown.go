package builtin

import (
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
)

var markdownConverter = sync.OnceValue(func() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin()))
})

// markdown is the main content with its headings, lists, tables, links and code.
func (d *webDocument) markdown() (text string) {
	node := d.main()
	if d.flat {
		return visibleText(node)
	}
	defer func() {
		if p := recover(); p != nil { // a library's mistake must not cost the page
			text = visibleText(node)
		}
	}()
	converted, err := markdownConverter().ConvertNode(node, converter.WithDomain(d.base.String()))
	if err != nil {
		return visibleText(node)
	}
	return string(converted)
}
