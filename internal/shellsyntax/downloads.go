package shellsyntax

import (
	"path"
	"slices"
	"strings"
)

// downloaders write what they fetch into files.
var downloaders = []string{"curl", "wget", "aria2c", "fetch", "http", "xh"}

func isDownloader(name string) bool { return slices.Contains(downloaders, name) }

// runsDownload notes what the line downloads into files, and says whether a
// command runs one of them.
func (z *analyzer) runsDownload(c *Command) bool {
	name := c.Name()
	z.decoded(c, name)
	if isDownloader(name) {
		for i, w := range c.Words[1:] {
			switch {
			case shortFlag(w.Value, 'o') && name != "wget" || shortFlag(w.Value, 'O') && name == "wget" || w.Value == "--output" || w.Value == "--output-document":
				if i+2 < len(c.Words) {
					z.files[path.Clean(c.Words[i+2].Value)] = name
				}
			case strings.HasPrefix(w.Value, "--output="):
				z.files[path.Clean(w.Value[len("--output="):])] = name
			case (name == "wget" || name == "aria2c") && strings.Contains(w.Value, "://") || name == "curl" && strings.Contains(w.Value, "://") && c.hasFlag("O"):
				z.files[path.Clean(path.Join(c.directory(), path.Base(w.Value)))] = name
			}
		}
		for _, to := range c.WritesTo {
			z.files[path.Clean(to.Value)] = name
		}
		return false
	}
	if slices.ContainsFunc(c.PipedFrom, isDownloader) {
		for _, w := range c.Words[min(1, len(c.Words)):] {
			if file, ok := strings.CutPrefix(w.Value, "of="); ok && name == "dd" {
				z.files[path.Clean(file)] = name
			} else if name == "tee" && !strings.HasPrefix(w.Value, "-") {
				z.files[path.Clean(w.Value)] = name
			}
		}
		for _, to := range c.WritesTo {
			z.files[path.Clean(to.Value)] = name
		}
	}
	if name == "scp" || name == "rsync" || name == "lwp-download" {
		for _, w := range c.Words[1:] {
			if _, file, remote := strings.Cut(w.Value, ":"); remote && !strings.HasPrefix(w.Value, "-") {
				z.files[path.Base(strings.TrimSuffix(file, "/"))] = name
			} else if name == "lwp-download" {
				z.files[path.Clean(w.Value)] = name
			}
		}
		return false
	}
	if name == "git" && c.first() == "clone" || (name == "tar" || name == "unzip" || name == "bsdtar") && slices.ContainsFunc(c.PipedFrom, isDownloader) {
		z.fetched = true
	}
	if z.fetched && len(c.Words) > 0 && strings.Contains(c.Words[0].Value, "/") && !strings.HasPrefix(c.Words[0].Value, "/") && !strings.HasPrefix(c.Words[0].Value, "~") && c.Words[0].Static {
		return true
	}
	if len(z.files) == 0 || len(c.Words) == 0 {
		return false
	}
	if z.files[path.Clean(c.Words[0].Value)] != "" && (strings.Contains(c.Words[0].Value, "/")) {
		return true
	}
	if !IsShell(name) && !isInterpreter(name) && !slices.Contains(runFiles, name) {
		return false
	}
	return slices.ContainsFunc(c.Words[1:], func(w Word) bool {
		return z.files[path.Clean(w.Value)] != "" && (name != "chmod" || strings.Contains(lineOf(c), "x") || strings.Contains(lineOf(c), "7"))
	})
}

// runFiles run or install the files among their words.
var runFiles = []string{"source", ".", "chmod", "dpkg", "rpm", "installer", "java", "make", "insmod", "pip", "pip3", "apt", "apt-get", "dnf", "yum", "sudo", "env", "exec", "docker", "wine"}

// shortFlag says whether a word ends in a flag that takes a value: -o, -sLo.
func shortFlag(word string, flag byte) bool {
	return len(word) > 1 && word[0] == '-' && word[1] != '-' && word[len(word)-1] == flag
}

// directory is where a downloader puts its files.
func (c *Command) directory() string {
	for i, w := range c.Words {
		if (w.Value == "-P" || w.Value == "--directory-prefix" || w.Value == "--output-dir" || w.Value == "-d" && c.Name() == "aria2c") && i+1 < len(c.Words) {
			return c.Words[i+1].Value
		}
	}
	return ""
}

// decoded notes the files that decoders write, and finds commands that run one.
func (z *analyzer) decoded(c *Command, name string) {
	if isDecoder(name) || slices.ContainsFunc(c.PipedFrom, isDecoder) {
		for _, to := range c.WritesTo {
			z.plain[path.Clean(to.Value)] = true
		}
		for i, w := range c.Words[min(1, len(c.Words)):] {
			switch ext := path.Ext(w.Value); {
			case slices.Contains([]string{".gz", ".xz", ".bz2", ".zst", ".lz4", ".gpg", ".asc", ".b64", ".enc", ".Z"}, ext) && len(c.WritesTo) == 0:
				z.plain[path.Clean(strings.TrimSuffix(w.Value, ext))] = true
			case (w.Value == "-o" || w.Value == "-out" || w.Value == "--output") && i+2 < len(c.Words):
				z.plain[path.Clean(c.Words[i+2].Value)] = true
			}
		}
		return
	}
	if len(z.plain) == 0 || len(c.Words) == 0 {
		return
	}
	if z.plain[path.Clean(c.Words[0].Value)] && strings.Contains(c.Words[0].Value, "/") ||
		(IsShell(name) || isInterpreter(name) || name == "source" || name == ".") && slices.ContainsFunc(c.Words[1:], func(w Word) bool { return z.plain[path.Clean(w.Value)] }) {
		z.odd(Encoded, c.String(), "it runs a file that is decoded first")
	}
}
