package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// same reports whether two JSON values are equal.
func same(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	for raw, v := range map[*[]byte]*any{&a: &x, &b: &y} {
		dec := json.NewDecoder(bytes.NewReader(*raw))
		dec.UseNumber()
		if err := dec.Decode(v); err != nil {
			t.Fatalf("decode %q: %v", *raw, err)
		}
	}
	return reflect.DeepEqual(x, y)
}

func drawTree(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 6).Draw(t, "kind"); {
	case kind < 2 && depth > 0:
		return rapid.MapOfN(rapid.StringN(0, 6, -1), rapid.Custom(func(t *rapid.T) any { return drawTree(t, depth-1) }), 0,
			4).Draw(t, "object")
	case kind < 3 && depth > 0:
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return drawTree(t, depth-1) }), 0, 4).Draw(t, "array")
	case kind == 4:
		return rapid.Float64().Draw(t, "number")
	case kind == 5:
		return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "literal")
	}
	return rapid.StringMatching(`[a-zé"\\\n \x{1F600}]{0,20}`).Draw(t, "string")
}

func TestHarmlessJSONIsUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(map[string]any{"v": drawTree(t, 4)})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		r := iotest.HalfReader(bytes.NewReader(raw))
		got, err := new(Redactor).Object(r)
		if err != nil {
			t.Fatalf("Object(%q): %v", raw, err)
		}
		out.Write(got.JSON)
		if got.Counts.any() {
			t.Skip("something was redacted")
		}
		var x, y any
		if json.Unmarshal(raw, &x) != nil || json.Unmarshal(out.Bytes(), &y) != nil || !reflect.DeepEqual(x, y) {
			t.Fatalf("Object(%q) = %q", raw, out.Bytes())
		}
	})
}

// Neither the order of the members nor the sizes of the reads change the result.
func TestOrderAndChunksDoNotMatter(t *testing.T) {
	big := strings.Repeat("x <private>no</private> y ", 8_000)
	members := []string{
		`"session_id":"s1"`, `"prompt":"p ` + pat + `"`, `"tool_response":{"stdout":` + quoted(big) + `}`,
		`"cwd":"/a b"`,
	}
	var want map[string]any
	rapid.Check(t, func(t *rapid.T) {
		in := `{` + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + `}`
		size := rapid.IntRange(1, 5000).Draw(t, "chunk")
		got, err := new(Redactor).Object(&chunks{[]byte(in), size})
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(got.JSON, &m); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = m
		}
		if !reflect.DeepEqual(m, want) {
			t.Fatalf("members differ: %v", slices.Sorted(maps.Keys(m)))
		}
	})
}

type chunks struct {
	b    []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.b)
	c.b = c.b[n:]
	return n, nil
}

var fuzzObjects = []string{
	`{}`, `{"a":1}`, `{"a":[{"b":"<private>x"}],"c":"` + pat + `"}`, `{"a":"\ud83d\ude00\ud800"}`, `{"a":1e400,"a":01}`,
	"\ufeff{\"a\":null} {}", `{"a":{"a":{"a":[[[]]]}}}`, "{\"a\":\x00", "{\"pass\":\"0\xf0\"}",
	`{"password":"hunter2!","session_id":"x","file_path":"/a b/c"}`, `{"a":"\\u003cprivate\\u003e"}`,
	"{\"a\":\"\xff\x00\"}", `{"a":tru`, `{"a":"x`, `[]`, ``,
}

func FuzzObject(f *testing.F) {
	for _, s := range fuzzObjects {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		got, err := new(Redactor).Object(bytes.NewReader(in))
		chunked, chunkErr := new(Redactor).Object(&chunks{in, 1 + max(size, -size)&1023})
		if (err == nil) != (chunkErr == nil) || !bytes.Equal(got.JSON, chunked.JSON) || got.Size != chunked.Size {
			t.Fatalf("in parts: %q, %v; whole: %q, %v", chunked.JSON, chunkErr, got.JSON, err)
		}
		var want json.RawMessage
		valid := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(in, []byte("\ufeff")))).Decode(&want) == nil &&
			len(want) > 0 && want[0] == '{'
		if valid && err != nil {
			t.Fatalf("valid, but %v", err)
		}
		if err != nil {
			return
		}
		if !json.Valid(got.JSON) || len(got.JSON) > MaxObject {
			t.Fatalf("%d bytes, not valid or too long: %q", len(got.JSON), got.JSON)
		}
		if valid && !got.Truncated && !got.Counts.any() && !hasTag(want) && !same(t, want, got.JSON) {
			t.Fatalf("%q became %q", want, got.JSON)
		}
	})
}

// hasTag reports whether a string of raw holds a tag: a stray closer is removed and not counted.
func hasTag(raw []byte) bool {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return true // a number too large
	}
	return firstTag(fmt.Sprint(v), false) >= 0
}

func FuzzJSON(f *testing.F) {
	for _, s := range fuzzObjects {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		redactor := &Redactor{}
		once := redactor.JSON(in)
		if !json.Valid(once) {
			t.Fatalf("JSON(%q) = %q", in, once)
		}
		if json.Valid(in) && len(once) == 2 && once[0] == '{' && bytes.TrimSpace(in)[0] != '{' {
			t.Fatalf("valid %q is given up", in)
		}
		if twice := redactor.JSON(once); !bytes.Equal(twice, once) {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}
