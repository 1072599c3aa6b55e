package store

import "testing"

func TestACursorComesBackAsThePositionThatItWas(t *testing.T) {
	t.Parallel()
	want := position{At: 1 << 60, ID: NewID()}
	got, err := Page{Cursor: want.cursor()}.byTime()
	if err != nil || got == nil || *got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	no, err := Page{Cursor: position{No: 42}.cursor()}.byNumber()
	if err != nil || no != 42 {
		t.Errorf("got %d, %v", no, err)
	}
	name, err := Page{Cursor: position{Name: "anna"}.cursor()}.byName()
	if err != nil || name != "anna" {
		t.Errorf("got %q, %v", name, err)
	}
}

func FuzzAnyCursorIsAPositionOrAnError(f *testing.F) {
	for _, cursor := range []string{"", "?", "e30", "bnVsbA", position{At: 1, ID: "x"}.cursor(),
		position{No: 1}.cursor(), position{Name: "anna"}.cursor()} {
		f.Add(cursor)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		page := Page{Cursor: cursor}
		at, err := page.byTime()
		switch {
		case err != nil:
			wantCode(t, err, CodeInvalidArgument)
		case cursor != "" && at.ID == "":
			t.Errorf("%q is the position %+v", cursor, *at)
		}
		no, err := page.byNumber()
		switch {
		case err != nil:
			wantCode(t, err, CodeInvalidArgument)
		case no <= 0:
			t.Errorf("%q is the number %d", cursor, no)
		}
		name, err := page.byName()
		switch {
		case err != nil:
			wantCode(t, err, CodeInvalidArgument)
		case cursor != "" && name == "":
			t.Errorf("%q is no name", cursor)
		}
	})
}
