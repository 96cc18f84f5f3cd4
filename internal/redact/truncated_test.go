package redact

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// timeoutAfter returns a reader of a text that then times out.
func timeoutAfter(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), timeout{})
}

type timeout struct{}

func (timeout) Read([]byte) (int, error) { return 0, context.DeadlineExceeded }

func TestTruncatedObjectIsValidJSON(t *testing.T) {
	line := strings.Repeat("some words of it ", 4) + `\n`
	for name, text := range map[string]string{
		"in a short string": `{"id":"x","out":{"a":["` + strings.Repeat(line, 1500),
		"in a long string":  `{"id":"x","out":{"a":["` + strings.Repeat(line, 30000),
		"in an escape":      `{"id":"x","out":{"a":["` + strings.Repeat(line, 1500) + `\u00`,
		"in a key":          `{"id":"x","out":["` + strings.Repeat(line, 1500) + `"],"k`,
		"in a number":       `{"id":"x","out":"` + strings.Repeat(line, 1500) + `","n":12`,
		"after a comma":     `{"id":"x","out":"` + strings.Repeat(line, 30000) + `",`,
		"where values are left out": `{"id":"x","out":"` + strings.Repeat(line, 1500) + `","deep":` +
			strings.Repeat("[", 300),
	} {
		t.Run(name, func(t *testing.T) {
			o, err := (&Redactor{}).Object(timeoutAfter(text))
			if err != nil || !o.Truncated || !json.Valid(o.JSON) {
				t.Fatalf("got %v, cut %v, valid %v", err, o.Truncated, json.Valid(o.JSON))
			}
			if len(o.JSON) < keepHead || !strings.HasPrefix(string(o.JSON), `{"id":"x"`) || len(o.JSON) > MaxString+4000 {
				t.Errorf("%d bytes are kept: %.40q", len(o.JSON), o.JSON)
			}
		})
	}
}

// Wherever a text is truncated, no part of a secret or a private span is kept.
func TestTruncatedStringHasNoPartOfASecret(t *testing.T) {
	filler := strings.Repeat("some words\\n", 9000)
	secret := pat
	for _, at := range []int{4000, keepHead - 20, keepHead, keepHead + margin, streamAt + 10, 100_000} {
		at -= at % len("some words\\n")
		for cut := 1; cut < len(secret); cut += 3 {
			text := `{"out":"` + filler[:min(at, len(filler))] + " " + secret[:cut]
			o, err := (&Redactor{}).Object(timeoutAfter(text))
			if err != nil {
				t.Fatal(err)
			}
			if cut > 8 && strings.Contains(string(o.JSON), secret[:8]) {
				t.Errorf("at %d: %d bytes of a secret are kept", at, cut)
			}
		}
		text := `{"first":"a <private> b CANARY","second":"CANARY c","out":"` + filler[:min(at, len(filler))] +
			" <private> CANARY " + filler
		o, err := (&Redactor{}).Object(timeoutAfter(text))
		if err != nil || strings.Contains(string(o.JSON), "CANARY") {
			t.Errorf("at %d: %v, private text is kept", at, err)
		}
	}
}
