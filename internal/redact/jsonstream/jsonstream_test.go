package jsonstream

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestStringsAreReadAsEncodingJSONReadsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "string")
		quoted, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReader(iotest.OneByteReader(strings.NewReader(string(quoted[1:]))))
		done, err := r.ReadString(0)
		if err != nil || !done || string(r.Text) != WellFormed([]byte(want)) {
			t.Fatalf("ReadString of %s = %v, %v with %q", quoted, done, err, r.Text)
		}
		skipped := NewBytesReader(append(quoted[1:], '1'))
		if err := skipped.SkipString(); err != nil {
			t.Fatal(err)
		}
		if next, err := skipped.NextToken(); next != '1' || err != nil {
			t.Fatalf("behind %s: %q, %v", quoted, next, err)
		}
	})
}

func TestQuotedStringsAreJSONWithinTheirLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		b := AppendQuoted(nil, s)
		var got string
		if err := json.Unmarshal(b, &got); err != nil || got != WellFormed([]byte(s)) {
			t.Fatalf("%q is quoted as %s: %v", s, b, err)
		}
		if inGo, err := strconv.Unquote(string(b)); err != nil || inGo != got {
			t.Fatalf("%s is %q in Go: %v", b, inGo, err)
		}
		limit := rapid.IntRange(2, 50).Draw(t, "limit")
		n := QuotedPrefix(s, limit)
		if size := len(AppendQuoted(nil, s[:n])); size > limit || n < len(s) && size+6 < limit {
			t.Fatalf("QuotedPrefix(%q, %d) = %d, which takes %d", s, limit, n, size)
		}
	})
}

func TestScalarsAreChecked(t *testing.T) {
	for in, want := range map[string]string{
		"true,": "true", "null": "null", "-0.5e+3]": "-0.5e+3", "12345678]": "", "0": "0",
	} {
		r := NewBytesReader([]byte(in[1:]))
		if got, err := r.ReadScalar(in[0], 7); got != want || err != nil {
			t.Errorf("ReadScalar of %q = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"trve", "01", "-", "1.", "1e", "x", "+1"} {
		r := NewBytesReader([]byte(in[1:]))
		if got, err := r.ReadScalar(in[0], 0); !errors.Is(err, ErrSyntax) {
			t.Errorf("ReadScalar of %q = %q, %v; want ErrSyntax", in, got, err)
		}
	}
	r := NewBytesReader([]byte("ru"))
	if _, err := r.ReadScalar('t', 0); !errors.Is(err, io.EOF) {
		t.Errorf("a cut literal: %v, want io.EOF", err)
	}
}

func TestPartialRuneIsWhatTheNextBlockCompletes(t *testing.T) {
	const text = "aé€😀"
	for n := range len(text) + 1 {
		b := []byte(text[:n])
		if left := PartialRune(b); !utf8.Valid(b[:n-left]) || left > 0 && utf8.Valid(b) {
			t.Errorf("PartialRune(%q) = %d", b, left)
		}
	}
}
