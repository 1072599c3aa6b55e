package redact

import (
	"fmt"
	"strings"
	"testing"
)

// Texts as tools put them out: the goals are 100 MB/s for logs and 25 MB/s for
// code that is full of keywords.

func logText() string {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b,
			"2026-11-20T10:%02d:%02d.%03dZ INFO  request served method=GET path=/api/v1/conversations/%d/messages "+
				"status=200 duration=%dms bytes=%d remote=10.0.%d.%d\n",
			i/60%60, i%60, i%1000, i, i%97, i*37, i%256, i%250)
		if i%5 == 0 {
			fmt.Fprintf(&b, "2026-11-20T10:00:00Z DEBUG worker %d picked the next item from the queue, 已处理 %d 条记录\n",
				i%8, i)
		}
	}
	return b.String()
}

func codeText() string {
	const code = `
func (s *Store) Login(ctx context.Context, user, password string) (*Session, error) {
	token, err := s.tokens.Next(ctx, user, s.secretKey)
	if err != nil || token == "" {
		return nil, fmt.Errorf("create token for %q: %w", user, err)
	}
	if !bcrypt.Match(account.PasswordHash, password) { // the password is wrong
		return nil, ErrPassword
	}
	s.cache.Set("token:"+token, account.Key, cacheKeyTTL)
	return &Session{Token: token, APIKey: account.APIKey, Secret: s.secretKey, AuthMode: "password"}, nil
}

const { token, secret } = useAuth()
const headers = { Authorization: ` + "`Bearer ${token}`" + `, 'X-Api-Key': process.env.API_KEY }
password: string; credentials?: Credentials; accessToken: string | null
api_key = os.environ["API_KEY"]; self.password = password; private_key_path = "~/.ssh/id_ed25519"
url = "https://example.com/oauth/token?grant_type=password"
`
	return strings.Repeat(code, 400)
}

func benchmarkString(b *testing.B, text string, o Options) {
	r, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_ = r.String(text)
	}
}

func held() []string {
	var values []string
	for i := range 20 {
		values = append(values, fmt.Sprintf("sk-%032x", i*7919))
	}
	return values
}

func BenchmarkLogs(b *testing.B)           { benchmarkString(b, logText(), Options{}) }
func BenchmarkLogsWithValues(b *testing.B) { benchmarkString(b, logText(), Options{Values: held()}) }
func BenchmarkCode(b *testing.B)           { benchmarkString(b, codeText(), Options{}) }
func BenchmarkSecrets(b *testing.B) {
	benchmarkString(b, strings.Repeat("DB_PASSWORD=Blue!42Tango token: a8f5f167f44f4964e6c998dee827110c\n", 1000),
		Options{})
}

func BenchmarkPersonal(b *testing.B) {
	benchmarkString(b, logText(), Options{Personal: []string{"email", "phone", "card", "ip"}})
}

func BenchmarkStreamOfSmallPieces(b *testing.B) {
	r, err := New(Options{Values: held()})
	if err != nil {
		b.Fatal(err)
	}
	text := logText()[:64<<10]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := r.Stream()
		for i := 0; i < len(text); i += 16 {
			s.Write(text[i:min(len(text), i+16)])
		}
		s.Flush()
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{Values: held()}); err != nil {
			b.Fatal(err)
		}
	}
}

// Texts that a hostile page may hold: none of them may be much slower than code.
func BenchmarkHostile(b *testing.B) {
	for name, piece := range map[string]string{
		"prefixes": "sk-", "names": "password", "assignments": "password=", "urls": "http://", "dots": "eyJ.",
		"quotes": `token:"`,
		"keys":   "-----BEGIN PRIVATE KEY-----\n", "commands": "curl ", "cookies": "cookie: a=b;", "hex": "a1b2c3d4",
		"at": "a@", "ids": "AKIAQ3EGZ7R2LMN4WXYT ",
		"escapes": `\`, "marks": markOpen,
	} {
		b.Run(name, func(b *testing.B) {
			benchmarkString(b, strings.Repeat(piece, 256<<10/len(piece)), Options{Personal: []string{"email", "phone",
				"card", "ip"}})
		})
	}
}
