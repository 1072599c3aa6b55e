package builtin

import (
	"bytes"
	"mime"
	"strings"

	"golang.org/x/net/html"
)

// metaCharset finds <meta charset=…> or <meta http-equiv="content-type" …> at
// the beginning of a page.
func metaCharset(head []byte) string {
	tokens := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			if token.Data == "body" {
				return ""
			}
			if token.Data != "meta" {
				continue
			}
			if name := charsetOfMeta(token.Attr); name != "" {
				return name
			}
		}
	}
}

func charsetOfMeta(attributes []html.Attribute) string {
	isContentType, content := false, ""
	for _, attribute := range attributes {
		switch attribute.Key {
		case "charset":
			return strings.TrimSpace(attribute.Val)
		case "http-equiv":
			isContentType = strings.EqualFold(strings.TrimSpace(attribute.Val), "content-type")
		case "content":
			content = attribute.Val
		}
	}
	if !isContentType {
		return ""
	}
	_, parameters, err := mime.ParseMediaType(content)
	if err != nil {
		_, name, _ := strings.Cut(strings.ToLower(content), "charset=")
		return strings.Trim(name, " \"';")
	}
	return parameters["charset"]
}
