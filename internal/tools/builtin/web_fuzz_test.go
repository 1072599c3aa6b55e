package builtin

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// BT2
func FuzzHTMLExtraction(f *testing.F) {
	for _, seed := range []string{
		"", "<p>hello", "<base href=//x><a href=y>",
		"<script type=application/ld+json>[1,{\"author\":[{\"name\":\"x\"}]}]</script>",
		"<table><tr><td>a<td>b</table><pre> x\n y</pre>",
		"<html><head><meta property=og:title content=x><title>t</title>", strings.Repeat("<b>", 600),
		"<template><a href=x></template><svg><title>x</title></svg><select><option>x",
	} {
		f.Add(seed)
	}
	base, err := url.Parse("https://example.com/dir/page")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []string{"text", "markdown", "links", "structured"} {
			page := &webPage{}
			page.understand(text, base, kind)
			if len(page.Links) > maxLinks || len(page.Content) > maxWebText {
				t.Fatalf("%s: %d links, %d bytes", kind, len(page.Links), len(page.Content))
			}
			for _, link := range page.Links {
				if u, err := url.Parse(link.URL); err != nil || !u.IsAbs() || u.User != nil {
					t.Fatalf("the link %q: %v", link.URL, err)
				}
			}
		}
	})
}

// BT2
func FuzzCharset(f *testing.F) {
	f.Add([]byte("<meta charset=gbk>\xb5\xc6\xcb\xfe"), "text/html")
	f.Add([]byte("\xff\xfea\x00"), "text/html; charset=utf-16")
	f.Add([]byte(`<?xml version="1.0" encoding="big5"?>`), "application/xml")
	f.Add([]byte("<meta http-equiv=content-type content='text/html;charset='>\x1b$B"), "text/html; charset=iso-2022-jp")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		for _, isHTML := range []bool{true, false} {
			if text := decodeWebText(body, contentType, isHTML); !utf8.ValidString(text) {
				t.Fatalf("%q", text)
			}
		}
	})
}
