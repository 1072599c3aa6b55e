package redact

import "slices"

// formats are the token formats of all services. Lengths are minimal ones where
// a service does not promise one. Many formats were compared with the rules of
// gitleaks (https://github.com/gitleaks/gitleaks, MIT licence, © 2019 Zachary Rice).
func formats() []format {
	return slices.Concat(cloudFormats(), codeFormats(), modelFormats(), serviceFormats(), webhookFormats(),
		generalFormats())
}

// generalFormats belong to no service.
func generalFormats() []format {
	return []format{
		{rule: "jwt", begin: []string{"eyJ"}, rest: `[\w-]{8,}\.(?:[\w-]{6,}\.[\w-]*|[\w-]{16,})(?:\.[\w-]+)*`},
		{rule: "jwt", begin: []string{"ZXlK"}, rest: `[A-Za-z0-9+/_-]{80,}={0,2}`}, // in base64 again
		{rule: "jwk", begin: jwkMembers(), rest: `([\w-]{43,})`, is: random},
		{rule: "jwk", begin: []string{`k":"`, `k": "`, `k\":\"`, `k\": \"`}, rest: `([\w-]{22,})`, is: random},
		{rule: "private-key", begin: []string{"LS0tLS1CRUdJTi"}, rest: pemInBase64},
		{rule: "nats-seed", begin: []string{
			"SUA", "SUB", "SUC", "SUD", "SAA", "SAB", "SAC", "SAD", "SOA", "SOB", "SOC", "SOD",
		}, rest: `[A-Z2-7]{55}`, is: whole},
		{rule: "ntlm", begin: []string{"TlRMTVNTUAADAAAA"}, rest: `[A-Za-z0-9+/]{40,}={0,2}`},
		{rule: "age-key", begin: []string{"AGE-SECRET-KEY-1"}, rest: `[A-Z0-9]{50,}`},
		{rule: "password-hash", begin: []string{"$2a$", "$2b$", "$2x$", "$2y$"}, rest: `\d\d\$[./A-Za-z0-9]{53}`},
		{rule: "password-hash", begin: []string{"$1$", "$5$", "$6$", "$y$", "$7$", "$gy$", "$apr1$"},
			rest: `(?:rounds=\d+\$)?[./A-Za-z0-9]{1,32}\$(?:[./A-Za-z0-9]{1,86}\$)?[./A-Za-z0-9]{22,86}`},
		{rule: "password-hash", begin: []string{"$argon2", "$scrypt$", "$pbkdf2"},
			rest: `[\w.-]*\$(?:[\w=,.]+\$)+[\w./+=-]+(?:\$[\w./+=-]+)*`},
		{rule: "password-hash", begin: []string{"{SHA}", "{SSHA}", "{SSHA256}", "{SSHA512}", "{SHA256}", "{SHA512}",
			"{SMD5}"}, rest: `[A-Za-z0-9+/]{20,}={0,2}`},
	}
}

// pemInBase64 is what follows "-----BEGIN" where a PEM of a private key is encoded
// once more, as Kubernetes and CI variables hold it.
const pemInBase64 = `B(?:QUklWQVRF|SU0EgUFJJVkFU|FQyBQUklWQVRF|EU0EgUFJJVkFU|FTkNSWVBURUQgUFJJVkFU|PUEVOU1NIIFBSSVZBVE|QR1AgUFJJVkFU)[A-Za-z0-9+/]{30,}={0,2}`

// jwkMembers are the begins of the members that make a JSON Web Key private (RFC
// 7518, 6): "d": "…".
func jwkMembers() []string {
	var all []string
	for _, name := range []string{"d", "p", "q", "dp", "dq", "qi"} {
		for _, separator := range []string{`":"`, `": "`, `\":\"`, `\": \"`, `':'`, `': '`} {
			all = append(all, name+separator)
		}
	}
	return all
}
