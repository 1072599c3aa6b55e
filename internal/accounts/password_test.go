package accounts

import (
	"strings"
	"testing"
)

// US1: a hash is argon2id in PHC form, of the password alone; what is no hash has no password.
func TestAPasswordIsKeptAsArgon2id(t *testing.T) {
	t.Parallel()
	hash, err := derive(nil).hash(t.Context(), "four words in a row")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%q, %v", hash, err)
	}
	again, err := derive(nil).hash(t.Context(), "four words in a row")
	if err != nil || again == hash {
		t.Errorf("the salt is the same: %v", err)
	}
	for _, c := range []struct {
		hash, password string
		want           bool
	}{
		{hash, "four words in a row", true},
		{again, "four words in a row", true},
		{hash, "four words in a roW", false},
		{hash, "", false},
		{hash, strings.Repeat("x", 1<<20), false},
		{nobody, "", false},
		{"", "", false},
		{"$argon2id$v=19$m=4294967295,t=4294967295,p=1$AAAA$AAAA", "x", false},
		{"$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x", false},
		{strings.Replace(hash, "m=19456", "m=19455", 1), "four words in a row", false},
	} {
		if got, err := derive(nil).verify(t.Context(), c.hash, c.password); err != nil || got != c.want {
			t.Errorf("%q with %.20q: %t, %v", c.hash, c.password, got, err)
		}
	}
}

// US1: the wait doubles and has an end, whatever number of failures there were.
func TestTheBackOffHasAnEnd(t *testing.T) {
	t.Parallel()
	const free = 5
	wait := backOff(free)
	if w := wait(free - 1); w != 0 {
		t.Errorf("free attempts wait %s", w)
	}
	last := wait(free)
	for failures := int64(free + 1); failures < 100; failures++ {
		next := wait(failures)
		if next != min(2*last, longestWait) {
			t.Fatalf("%d failures: %s after %s", failures, next, last)
		}
		last = next
	}
}

// FuzzName: a name is its own normal form, or an error.
func FuzzName(f *testing.F) {
	for _, name := range []string{"Anna", "ａｎｎａ", "анна", "a b", "", "\x00", "ǅ", "a@b.example"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		made, err := Name(name)
		if err != nil {
			return
		}
		if again, err := Name(made); err != nil || again != made || made == "" || len(made) > maxName {
			t.Errorf("%q is %q, then %q, %v", name, made, again, err)
		}
	})
}
