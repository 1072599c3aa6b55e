package guard

import (
	"path"
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// publicInputs are what openssl reads that is no secret, by its subcommands: certificates
// and requests for them.
var publicInputs = map[string][]string{
	"x509": {"-in", "-CA"}, "req": {"-in"}, "crl": {"-in", "-CAfile"}, "verify": {"-CAfile", "-untrusted", "-trusted"}, "s_client": {"-CAfile", "-cert"}, "ocsp": {"-issuer", "-cert", "-CAfile"},
}

// certificates looks at what openssl reads and writes, and gives back its other words.
// A certificate is public, and a key that is made is none that is read; the place of
// either may be sensitive all the same.
func (p *pathCheck) certificates(words []shellsyntax.Word) []shellsyntax.Word {
	if len(words) < 2 {
		return words
	}
	subcommand := words[0].Value
	rest := slices.Clone(words)
	for i := 1; i < len(words); i++ {
		how, spared := use(0), false
		switch option := words[i-1].Value; {
		case option == "-out" || option == "-keyout":
			how, spared = writes, true
		case slices.Contains(publicInputs[subcommand], option), subcommand == "verify" && !strings.HasPrefix(words[i].Value, "-"):
			how, spared = reads, isCertificate(words[i].Value)
		}
		if spared && words[i].Pattern == "" {
			w := words[i]
			w.Value = strings.TrimSuffix(w.Value, path.Ext(w.Value))
			p.word(w, how|lists)
			rest[i] = shellsyntax.Word{}
		}
	}
	return rest
}

// isCertificate says whether a name of a file is one of a certificate, and not of a key.
func isCertificate(name string) bool {
	base := strings.ToLower(path.Base(name))
	return (strings.HasSuffix(base, ".pem") || strings.HasSuffix(base, ".crt") || strings.HasSuffix(base, ".cer") || strings.HasSuffix(base, ".csr")) && !containsAny(base, "key", "priv", "secret", "id_")
}

// templates remembers the file that the line begins to make from a template:
// cp .env.example .env.local && …. It holds nothing but what the template has.
func (p *pathCheck) templates(script *shellsyntax.Analysis) {
	source := strings.TrimLeft(script.Source, " \t\n")
	if !strings.HasPrefix(source, "cp ") || len(script.Commands) < 2 {
		return
	}
	end := strings.IndexAny(source, ";&|\n")
	c := script.Commands[0]
	if end < 0 || !strings.HasPrefix(source[end:], "&&") || len(c.Words) != 3 || c.Name() != "cp" || !c.Words[1].Static || !c.Words[2].Static {
		return
	}
	if slices.ContainsFunc(script.Commands, func(c *shellsyntax.Command) bool {
		return c.Name() == "cd" || c.Name() == "pushd" || c.Name() == "popd"
	}) {
		return
	}
	if from, to := c.Words[1].Value, c.Words[2].Value; isTemplate(path.Base(from)) && path.Dir(from) == path.Dir(to) {
		p.made = path.Clean(to)
	}
}

// isTemplate says whether a name is that of an example of an environment file.
func isTemplate(base string) bool {
	return strings.HasPrefix(base, ".env.") && !isDotenv(base)
}
