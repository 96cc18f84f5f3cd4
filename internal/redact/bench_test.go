package redact

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A large payload: a small part is kept, all of it is searched for tags.
func BenchmarkObject50MB(b *testing.B) {
	line := `\tif err := run(ctx, \"name\"); err != nil { return fmt.Errorf(\"run: %w\", err) }\n`
	in := []byte(`{"tool_response":{"stdout":"` + strings.Repeat(line, 50<<20/len(line)) + `"},"session_id":"s1"}`)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := new(Redactor).Object(bytes.NewReader(in)); err != nil {
			b.Fatal(err)
		}
	}
}

// The work of one hook process: a new Redactor, one ordinary payload.
func BenchmarkObjectHook(b *testing.B) {
	raw, err := os.ReadFile("testdata/PostToolUse.Edit.json")
	if err != nil {
		b.Fatal(err)
	}
	raw = bytes.Replace(raw, []byte(`one\ntwo\n`), []byte(strings.Repeat(`func main() { run() }\n`, 40)), 1)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := new(Redactor).Object(bytes.NewReader(raw)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkText(b *testing.B) {
	raw, err := os.ReadFile("bench_test.go") // ordinary source that cannot be renamed away
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"source":  strings.Repeat(string(raw), 20),
		"prose":   strings.Repeat("The quick brown fox asks the token counter to pass a secret message on. ", 4000),
		"openers": strings.Repeat("<private>", 39_000),
		"heads":   strings.Repeat("token=ghp_AKIA://eyJ.password:", 10_000),
		"slashes": strings.Repeat(`\`, 350_000),
		"begins":  strings.Repeat("-----BEGIN PRIVATE KEY-----{", 12_000),
		"urls":    strings.Repeat("://x:y", 50_000),
		"joins":   strings.Repeat("<pri", 9_000) + strings.Repeat("<private></private>vate>", 9_000),
		"secrets": strings.Repeat("x "+pat+"\n", 5_000),
		"markers": strings.Repeat("password=[secret:token]\n", 10_000),
		"columns": strings.Repeat(strings.Repeat("token,", 70)+"token\n", 900),
		"base64":  strings.Repeat(strings.Repeat("cGFzc3dv", 9)+"\n", 5_000),
		"colours": strings.Repeat("\x1b[1mpass\x1b[0m: ", 20_000),
		"command": strings.Repeat("curl mysql ", 30_000),
	} {
		b.Run(name, func(b *testing.B) {
			redactor := &Redactor{}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				redactor.Text(text)
			}
		})
	}
}
