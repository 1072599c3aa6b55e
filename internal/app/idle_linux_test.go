package app

import (
	"slices"
	"strings"
	"testing"
)

// Only pages that are the same in the file may be dropped: what was ever written would
// be lost. The loader's tables (RELRO) cannot be written any more, and were.
func TestOnlyPagesThatWereNeverWrittenAreReleased(t *testing.T) {
	t.Parallel()
	const program = "/opt/nano claw"
	clean := []string{"Size: 8 kB", "Private_Dirty:         0 kB", "Anonymous:             0 kB", "AnonHugePages: 4 kB", "Swap:                  0 kB", "SwapPss: 0 kB", "VmFlags: rd mr mw me"}
	for _, test := range []struct {
		head string
		rest []string
		want bool
	}{
		{"00400000-01df9000 r-xp 00000000 fe:00 1234                               /opt/nano claw", clean, true},
		{"01df9000-04b5f000 r--p 019f9000 fe:00 1234                               /opt/nano claw", clean, true},
		{"04b5f000-04d16000 rw-p 0475f000 fe:00 1234                               /opt/nano claw", clean, false},
		{"04b5f000-04d16000 r--s 0475f000 fe:00 1234                               /opt/nano claw", clean, false},
		{"7f5746e0d000-7f5746ead000 r--p 00000000 fe:00 99                         /usr/lib/libc.so.6", clean, false},
		{"f7acc400000-f7acdc00000 r--p 00000000 00:00 0 ", clean, false},
		{"04d16000-06d6e000 r--p 00000000 00:00 0                                  [heap]", clean, false},
		{"00400000-01df9000 r-xp 00000000 fe:00 1234                               /opt/nano claw (deleted)", clean, false},
		{"01df9000-04b5f000 r--p 019f9000 fe:00 1234                               /opt/nano claw", []string{"Anonymous:             8 kB", "Swap:                  0 kB"}, false},
		{"01df9000-04b5f000 r--p 019f9000 fe:00 1234                               /opt/nano claw", []string{"Anonymous:             0 kB", "Swap:                  4 kB"}, false},
		{"01df9000-04b5f000 r--p 019f9000 fe:00 1234                               /opt/nano claw", []string{"Anonymous:             0 kB"}, false},
		{"01df9000-04b5f000 r--p 019f9000 fe:00 1234                               /opt/nano claw", nil, false},
		{"nonsense", clean, false}, {"", clean, false},
	} {
		// One that counts is in front and behind: nothing that is known of one is held of another.
		first := append([]string{"00100000-00200000 r-xp 00000000 fe:00 1234     /opt/nano claw"}, clean...)
		last := append([]string{"10000000-20000000 r-xp 00000000 fe:00 1234     /opt/nano claw"}, clean...)
		lines := slices.Concat(first, []string{test.head}, test.rest, last)
		got := programPages(strings.NewReader(strings.Join(lines, "\n")+"\n"), program)
		if found := len(got) == 3; found != test.want || len(got) < 2 || got[0] != (mapping{0x100000, 0x200000}) || got[len(got)-1] != (mapping{0x10000000, 0x20000000}) {
			t.Errorf("%s, %q: %x", test.head, test.rest, got)
		}
	}
	releaseStart() // the test goes on running
}
