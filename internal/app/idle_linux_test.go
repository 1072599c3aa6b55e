package app

import "testing"

// Only pages that are the same in the file may be dropped: what can be written would be lost.
func TestOnlyPagesThatCannotBeWrittenAreReleased(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"00400000-01df9000 r-xp 00000000 fe:00 1234                               /opt/nano claw":           true,
		"01df9000-04b5f000 r--p 019f9000 fe:00 1234                               /opt/nano claw":           true,
		"04b5f000-04d16000 rw-p 0475f000 fe:00 1234                               /opt/nano claw":           false,
		"04b5f000-04d16000 r--s 0475f000 fe:00 1234                               /opt/nano claw":           false,
		"7f5746e0d000-7f5746ead000 r--p 00000000 fe:00 99                         /usr/lib/libc.so.6":       false,
		"f7acc400000-f7acdc00000 r--p 00000000 00:00 0 ":                                                    false,
		"04d16000-06d6e000 r--p 00000000 00:00 0                                  [heap]":                   false,
		"00400000-01df9000 r-xp 00000000 fe:00 1234                               /opt/nano claw (deleted)": false,
		"nonsense": false, "": false,
	} {
		from, to, ok := programPages(line, "/opt/nano claw")
		if ok != want || ok && (from == 0 || to <= from) {
			t.Errorf("%q: %x to %x, %v", line, from, to, ok)
		}
	}
	releaseStart() // the test goes on running
}
