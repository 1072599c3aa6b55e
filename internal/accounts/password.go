package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/crypto/argon2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/text/secure/precis"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// The cost of argon2id is what OWASP's Password Storage Cheat Sheet recommends: some 20 ms,
// and little enough memory that many people can sign in at once.
const (
	argonMemory  = 19 << 10 // KiB
	argonPasses  = 2
	argonThreads = 1
	saltLength   = 16
	keyLength    = 32
)

const (
	minPassword = 10
	maxPassword = 1000 // bytes
	maxName     = 100  // bytes
)

// hashing bounds how many passwords are hashed at once, and with that the memory.
var hashing = semaphore.NewWeighted(int64(max(2, runtime.GOMAXPROCS(0))))

//go:embed data/passwords.txt
var commonPasswords string

var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(commonPasswords) {
		set[strings.TrimSpace(line)] = true
	}
	return set
})

// Name is a user name as it is stored and compared: RFC 8265, UsernameCaseMapped. Names
// that differ in case, width or Unicode form are one.
func Name(name string) (string, error) {
	made, err := precis.UsernameCaseMapped.String(strings.TrimSpace(name))
	if err != nil || made == "" || len(made) > maxName {
		return "", invalid("username", fmt.Sprintf("use letters, digits and . _ - @, without spaces, at most %d bytes",
			maxName))
	}
	return made, nil
}

// NamePart is a part of a name in the form that names are stored in.
func NamePart(text string) string {
	return strings.ToLower(norm.NFC.String(width.Fold.String(strings.TrimSpace(text))))
}

// checkPassword says what is wrong with a new password.
func checkPassword(name, password string) (string, error) {
	if len(password) > maxPassword {
		return "", invalid("password", fmt.Sprintf("use at most %d bytes", maxPassword))
	}
	made, err := precis.OpaqueString.String(password)
	if err != nil {
		return "", invalid("password", "use characters that can be typed")
	}
	lower := strings.ToLower(made)
	switch {
	case len([]rune(made)) < minPassword:
		return "", invalid("password", fmt.Sprintf("use at least %d characters, such as four words", minPassword))
	case common()[lower], distinct(lower) < 4:
		return "", invalid("password", "choose another password: this one is among those that are tried first")
	case name != "" && len(name) > 3 && strings.Contains(lower, name):
		return "", invalid("password", "choose another password: this one holds the user name")
	}
	return made, nil
}

func distinct(text string) int {
	set := map[rune]bool{}
	for _, r := range text {
		set[r] = true
	}
	return len(set)
}

// derive makes a key of a password: argon2.IDKey, where it is nil. All the work that a
// password costs goes through it.
type derive func(password, salt []byte, passes, memory uint32, threads uint8, length uint32) []byte

// key derives a key, among a bounded number at once.
func (d derive) key(ctx context.Context, password string, salt []byte, passes, memory uint32, threads uint8,
	length uint32) ([]byte, error) {
	if err := hashing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer hashing.Release(1)
	if d == nil {
		d = argon2.IDKey
	}
	return d([]byte(password), salt, passes, memory, threads, length), nil
}

// hash returns the PHC form of argon2id.
func (d derive) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	key, err := d.key(ctx, password, salt, argonPasses, argonMemory, argonThreads, keyLength)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// nobody is the hash that a password is compared with where there is no account: the work
// is the same.
const nobody = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// verify says whether a password has that hash. A hash that cannot be read has no
// password.
func (d derive) verify(ctx context.Context, hash, password string) (bool, error) {
	if len(password) > maxPassword {
		password = password[:maxPassword] // wrong in any case, at the usual price
	}
	if made, err := precis.OpaqueString.String(password); err == nil {
		password = made
	}
	var version, memory, passes int
	var threads uint8
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, nil
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false, nil
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil ||
		memory < 1 || memory > 1<<20 || passes < 1 || passes > 100 || threads < 1 {
		return false, nil
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, nil
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) < 16 || len(want) > 128 {
		return false, nil
	}
	got, err := d.key(ctx, password, salt, uint32(passes), uint32(memory), threads, uint32(len(want)))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
