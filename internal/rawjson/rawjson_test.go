package rawjson_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"remanence/internal/rawjson"
)

// value draws any JSON value.
func value(depth int) *rapid.Generator[any] {
	simple := rapid.OneOf(rapid.String().AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil))
	if depth == 0 {
		return simple
	}
	return rapid.OneOf(simple, rapid.SliceOfN(value(depth-1), 0, 4).AsAny(),
		rapid.MapOfN(rapid.String(), value(depth-1), 0, 4).AsAny())
}

func TestMembersAreThoseOfEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(value(3).Draw(t, "value"))
		if rapid.Bool().Draw(t, "indented") && err == nil {
			raw, err = json.MarshalIndent(json.RawMessage(raw), "\r", "\t ")
		}
		if err != nil {
			t.Fatal(err)
		}
		check(t, raw)
	})
}

func TestABrokenObjectIsNone(t *testing.T) {
	for _, raw := range []string{
		``, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":"x}`, `{"a":"x\"}`, `{"a":{}`,
		`{"a":x}`, `{a:1}`, `{"a" 1}`,
		`{"a":1 "b":2}`, `{"a":1}}`, `{,}`, `[`, `[1,`, `[1,]`, `[,]`, `[1 2]`, `[1]]`, `x`,
		`{"a":,"b":1}`, `{"a":"\`,
	} {
		nothing := func([]byte) {}
		if rawjson.Object([]byte(raw), func(_, v []byte) { nothing(v) }) || rawjson.Array([]byte(raw), nothing) {
			t.Errorf("%s is an object or array", raw)
		}
	}
	for _, raw := range []string{`"`, `"a`, `a"`, `1`, `"\x"`, `"\u12"`, `"\"`, `"a"b"`} {
		var want string
		if s, ok := rawjson.String([]byte(raw)); ok != (json.Unmarshal([]byte(raw), &want) == nil) && raw != `"a"b"` {
			t.Errorf("String of %s = %q, %v", raw, s, ok)
		}
	}
}

func FuzzObject(f *testing.F) {
	for _, seed := range []string{
		`{"a":"b\\","c":{"d":["}"]},"é":-1e5}`, `[1,"\ud83d\ude00",null]`, `"\ud800x"`, "{\"a\":\"\xff\"}", ` { } `,
		`{"\u0061":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if json.Valid(raw) {
			check(t, raw)
		}
	})
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check compares what is read of a valid value with what encoding/json reads.
func check(t failer, raw []byte) {
	t.Helper()
	raw = bytes.TrimSpace(raw)
	var object map[string]json.RawMessage
	isObject := json.Unmarshal(raw, &object) == nil && object != nil
	got := map[string]string{}
	if ok := rawjson.Object(raw, func(k, v []byte) { got[string(k)] = string(v) }); ok != isObject {
		t.Fatalf("%s is an object: %v", raw, ok)
	}
	for k, v := range object {
		if raw, ok := got[k]; isObject && (!ok || raw != string(v)) {
			t.Fatalf("%s: member %q is %q, want %q", raw, k, raw, v)
		}
	}
	if isObject && len(got) != len(object) {
		t.Fatalf("%s: %d members, want %d", raw, len(got), len(object))
	}
	var array []json.RawMessage
	isArray := json.Unmarshal(raw, &array) == nil && array != nil
	n := 0
	if ok := rawjson.Array(raw, func(v []byte) {
		if n < len(array) && string(v) != string(array[n]) {
			t.Fatalf("%s: value %d is %q, want %q", raw, n, v, array[n])
		}
		n++
	}); ok != isArray || isArray && n != len(array) {
		t.Fatalf("%s is an array: %v of %d, want %v of %d", raw, ok, n, isArray, len(array))
	}
	for _, v := range object {
		check(t, v)
	}
	for _, v := range array {
		check(t, v)
	}
	var want string
	if len(raw) == 0 || raw[0] != '"' {
		return
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	if s, ok := rawjson.String(raw); !ok || s != want {
		t.Fatalf("String of %s = %q, %v, want %q", raw, s, ok, want)
	}
}
