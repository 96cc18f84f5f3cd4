package rank

import (
	"slices"
	"testing"
)

func TestSpansMarkEveryFormOfAWord(t *testing.T) {
	for _, tt := range []struct {
		name, query, text string
		want              []string
	}{
		{"stem", "retries", "Retry with backoff, retried twice", []string{"Retry", "retried"}},
		{"case and accents", "cafe", "Das Café und CAFE", []string{"Café", "CAFE"}},
		{"part of an identifier", "backoff", "call jitteredBackoff() in net", []string{"jitteredBackoff"}},
		{"compound", "internal/net/retry.go", "see internal/net/retry.go now", []string{"internal", "net", "retry", "go"}},
		{"part of a word only", "net", "internet and net", []string{"net"}},
		{"unsegmented", "缓存失效", "关于缓存失效的说明", []string{"缓存失效"}},
		{"markup stays text", "img", "<img onerror=x>", []string{"img"}},
		{"nothing", "zebra", "no such word", nil},
	} {
		var got []string
		for _, s := range Spans(Terms(tt.query), tt.text, 10) {
			got = append(got, tt.text[s[0]:s[1]])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q in %q marks %q, want %q", tt.name, tt.query, tt.text, got, tt.want)
		}
	}
	if got := Spans([]string{"a"}, "a a a a", 2); len(got) != 2 {
		t.Errorf("limit 2: got %v", got)
	}
}
