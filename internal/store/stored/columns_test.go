package stored

import (
	"encoding/json"
	"reflect"
	"testing"

	"remanence/internal/mem"
)

func TestColumnsAreReadAsJSON(t *testing.T) {
	for _, list := range []string{
		`["a"]`, `[""]`, `["a","b c","ü"]`, `["a", "b"]`, `["a\"b"]`, `["a\\","b"]`, `["a","b\n"]`, `[]`, `null`,
		"[\"a\xff\"]", `["a","b]`, `["a"b"]`, `["a",1]`, `{"a":"b"}`, `["a","]"]`, `[`, `["]`,
	} {
		m, want := mem.Memory{}, mem.Strings(nil)
		wrong := json.Unmarshal([]byte(list), &want)
		err := MemoryColumns{Files: list, Source: "{}"}.Unpack(&m)
		if (err != nil) != (wrong != nil) || wrong == nil && !reflect.DeepEqual(m.Files, want) {
			t.Errorf("%s is read as %q, %v; want %q, %v", list, m.Files, err, want, wrong)
		}
	}
	for _, source := range []string{
		`{"agent":"claude-code","session":"s","prompt_id":"p","event":"e","tool_use_id":"t","agent_id":"a"}`,
		`{"session":""}`, `{}`, `{"session":"a\"b"}`, `{"Session":"s"}`, `{"session":"s","other":"o"}`,
		`{"session":"s","prompt":3}`, `{"session":"s","session":"t"}`, `{"session":":","agent":","}`, `{"session":"s"`, `{"`,
		`{"session":"a","b"}`, "{\"session\":\"\xff\"}", ``,
	} {
		m, want := mem.Memory{}, mem.Source{}
		wrong := json.Unmarshal([]byte(source), &want)
		err := MemoryColumns{Source: source}.Unpack(&m)
		if (err != nil) != (wrong != nil) || wrong == nil && m.Source != want {
			t.Errorf("%s is read as %+v, %v; want %+v, %v", source, m.Source, err, want, wrong)
		}
	}
}
