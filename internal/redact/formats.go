package redact

import "slices"

// formats are the token formats of all services. Lengths are minimal ones where
// a service does not promise one.
func formats() []format {
	return slices.Concat(cloudFormats(), codeFormats(), modelFormats(), serviceFormats(), webhookFormats(), generalFormats())
}

// generalFormats belong to no service.
func generalFormats() []format {
	return []format{
		{rule: "jwt", begin: []string{"eyJ"}, rest: `[\w-]{8,}\.(?:[\w-]{6,}\.[\w-]*|[\w-]{16,})(?:\.[\w-]+)*`},
		{rule: "age-key", begin: []string{"AGE-SECRET-KEY-1"}, rest: `[A-Z0-9]{50,}`},
		{rule: "password-hash", begin: []string{"$2a$", "$2b$", "$2x$", "$2y$"}, rest: `\d\d\$[./A-Za-z0-9]{53}`},
		{rule: "password-hash", begin: []string{"$1$", "$5$", "$6$", "$y$", "$7$", "$gy$", "$apr1$"}, rest: `(?:rounds=\d+\$)?[./A-Za-z0-9]{1,32}\$(?:[./A-Za-z0-9]{1,86}\$)?[./A-Za-z0-9]{22,86}`},
		{rule: "password-hash", begin: []string{"$argon2", "$scrypt$", "$pbkdf2"}, rest: `[\w.-]*\$(?:[\w=,.]+\$)+[\w./+=-]+(?:\$[\w./+=-]+)*`},
		{rule: "password-hash", begin: []string{"{SHA}", "{SSHA}", "{SSHA256}", "{SSHA512}", "{SHA256}", "{SHA512}", "{SMD5}"}, rest: `[A-Za-z0-9+/]{20,}={0,2}`},
	}
}
