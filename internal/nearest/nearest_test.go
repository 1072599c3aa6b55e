package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestDistanceCountsASwapAsOne(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"a", ""}: 1, {"", "ab"}: 2, {"kitten", "sitting"}: 3, {"tasks", "taks"}: 1, {"tasks", "taksk"}: 2,
		{"listen", "lisetn"}: 1, {"x", strings.Repeat("x", 1000)}: maxLength,
	} {
		if got := Distance(pair[0], pair[1]); got != want {
			t.Errorf("%q to %q: %d, want %d", pair[0], pair[1], got, want)
		}
	}
}

func TestTheNearestNamesComeFirst(t *testing.T) {
	t.Parallel()
	names := []string{"file_read", "file_write", "file_list", "shell_execute", "get_weather"}
	for misspelt, want := range map[string][]string{
		"file-raed": {"file_read"}, "File Write": {"file_write"}, "weather": {"get_weather"}, "nothing_like_it": nil,
		"": nil,
	} {
		if got := Names(misspelt, names, 1); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", misspelt, got, want)
		}
	}
	if got := Name("zzz", names); got != "" {
		t.Errorf("zzz is taken for %s", got)
	}
}
