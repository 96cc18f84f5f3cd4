package redact

import (
	"strings"
	"testing"

	"remanence/test/tier"
)

// around returns the positions near every cut of a long string.
func around(size int, offsets ...int) []int {
	var at []int
	for _, edge := range []int{0, keepHead, keepHead + margin, streamAt, size - keepTail - margin, size - keepTail, size} {
		for _, off := range offsets {
			if p := edge + off; p >= 0 && p <= size {
				at = append(at, p)
			}
		}
	}
	return at
}

func TestNoCutLeavesAPartOfASecret(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\n", 60) +
		"-----END RSA PRIVATE KEY-----"
	sizes := []int{MaxString + 500, streamAt + 900, 400_000}
	if !tier.IsLong() {
		sizes = sizes[1:2]
	}
	for _, size := range sizes {
		filler := strings.Repeat("some words\n", size/11+1)[:size]
		for _, at := range around(size, -300, -41, -20, -3, 0, 3, 20) {
			for canary, secret := range map[string]string{
				"mnopqrst": pat, "ZKNARI": "password=ZKNARI-hunter2-" + strings.Repeat("x7", 40), "3xfn": key,
				"CANARY": "postgres://app:CANARY99CANARY99CANARY@db/x",
			} {
				got := object(t, `{"s":`+quoted(filler[:at]+" "+secret+" "+filler[at:])+`}`)
				if i := strings.Index(string(got.JSON), canary); i >= 0 {
					t.Errorf("size %d, at %d: %q survives in %q", size, at, canary, got.JSON[max(0, i-60):min(len(got.JSON), i+40)])
				}
			}
		}
	}
}

func TestNoCutLeavesPrivateText(t *testing.T) {
	const size = 500_000
	filler := strings.Repeat("CANARY wo\n", size/10)
	plain := strings.Repeat("some word\n", size/10)
	spellings := [][2]string{{"<private>", "</private>"}, {"＜pri\u200bvate x＞", "&lt;/private&gt;"}}
	for _, from := range append(around(size, -5, 0, 4), 200_000) {
		for i, to := range append(around(size, -5, 0, 4), 300_000) {
			if from >= to {
				continue
			}
			tags := spellings[i%2]
			in := plain[:from] + tags[0] + filler[from:to] + tags[1] + plain[to:]
			got := object(t, `{"s":`+quoted(in)+`}`)
			if strings.Contains(string(got.JSON), "CANARY") {
				t.Fatalf("private from %d to %d survives", from, to)
			}
			if want := min(len(plain)-to+from, MaxString-64); len(got.JSON) < want/2 {
				t.Fatalf("private from %d to %d: only %d bytes are left", from, to, len(got.JSON))
			}
		}
		got := object(t, `{"s":`+quoted(plain[:from]+"<private>"+filler[from:])+`}`)
		if strings.Contains(string(got.JSON), "CANARY") {
			t.Fatalf("unclosed private from %d survives", from)
		}
	}
}
