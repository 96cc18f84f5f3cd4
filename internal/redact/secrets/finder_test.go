package secrets

import (
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

const pat = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

// redact replaces the secrets of s by markers until there are none.
func (f *Finder) redact(s string) string {
	for {
		found := f.Find(s)
		if len(found) == 0 {
			return s
		}
		var b strings.Builder
		last := 0
		for _, p := range found {
			b.WriteString(s[last:p.From] + Marker(nil, p.Kind, s[p.From:p.To]))
			last = p.To
		}
		s = b.String() + s[last:]
	}
}

// pieces are the parts of random texts around a secret.
var pieces = []string{
	"text", " ", "\n", "<", ">", "/", "&", "\\", "é", "\u200b", pat, "password=", "hunter2!x", "[secret:token]",
	"[secret:",
	"]", "\"", "://u:", "@h", "eyJ", ".", "<private>", "</private>", "&lt;private&gt;", `\u003c/private\u003e`,
}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 4, 8)), 0, 24).Draw(t,
		"pieces"), "")
}

func checkSpans(t testing.TB, s string, found []Span) {
	last := 0
	for _, p := range found {
		if p.From < last || p.From >= p.To || p.To > len(s) {
			t.Errorf("span %+v of %q", p, s)
		}
		last = p.To
	}
}

func TestConcurrentUse(t *testing.T) {
	f := New([]Rule{{"badge", `EMP-\d{6}`}})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, c := range passwordContexts {
				s := strings.ReplaceAll(c, "%s", pat) + " EMP-123456"
				checkSpans(t, s, f.Find(s))
				if got := f.redact(s); !strings.HasSuffix(got, " [secret:badge]") || strings.Contains(got, pat) {
					t.Errorf("%q becomes %q", s, got)
				}
			}
		})
	}
	all.Wait()
}

func FuzzFind(f *testing.F) {
	for _, p := range pieces {
		f.Add(p, `x+`)
	}
	for _, c := range passwordContexts {
		f.Add(strings.ReplaceAll(c, "%s", "hunter2!"), `(`)
	}
	f.Add("-----BEGIN PRIVATE KEY-----", `\b`)
	f.Fuzz(func(t *testing.T, s, pattern string) {
		checkSpans(t, s, New([]Rule{{"fuzzed", pattern}}).Find(s))
	})
}
