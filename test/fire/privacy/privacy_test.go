//go:build fire

// Package privacy proves on the built program that nothing private and no
// secret is ever written, that what is erased is gone, and that no one but the
// person can read what is kept.
package privacy

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"remanence/test/world"
)

func TestMain(m *testing.M) {
	if os.Getenv(speaker) != "" { // this binary as another user, who needs no program built
		os.Exit(m.Run())
	}
	world.Slack = "20s"
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // most of it is waiting, for workers that do not come and for what they put off
	os.Exit(world.Main(m))
}

// speaker is the variable that makes this binary say something to a socket, and
// names that.
const speaker = "REMANENCE_TEST_SPEAK_TO"

// person is one whose worker shares no directory of sockets with other tests,
// beside which the test runs.
func person(t *testing.T) *world.Person {
	t.Helper()
	t.Parallel()
	temp, err := os.MkdirTemp("", "rem")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) }) // after the person has left
	p := world.NewPerson(t)
	p.Env = append(p.Env, "TMPDIR="+temp)
	return p
}

// remains lists the files below dir in which any of the words stands, in any
// case and in any of the forms in which a program may have written it.
func remains(t *testing.T, dir string, words ...string) []string {
	t.Helper()
	forms := map[string][]byte{}
	for _, w := range words {
		for form, b := range written(w) {
			forms[w+" "+form] = bytes.ToLower(b)
		}
	}
	var found []string
	seen := 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(file)
		if os.IsNotExist(err) { // taken away meanwhile
			return nil
		}
		seen++
		low := bytes.ToLower(b)
		for form, w := range forms {
			if bytes.Contains(low, w) || strings.Contains(strings.ToLower(file), string(w)) {
				found = append(found, file+": "+form)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Errorf("no file below %s: nothing was looked at", dir)
	}
	return found
}

// written is a word as it may stand in a file.
func written(word string) map[string][]byte {
	forms := map[string][]byte{"plain": []byte(word)}
	var le, be []byte
	for _, u := range utf16.Encode([]rune(word)) {
		le, be = append(le, byte(u), byte(u>>8)), append(be, byte(u>>8), byte(u))
	}
	forms["UTF-16LE"], forms["UTF-16BE"] = le, be
	for shift := range 3 { // whatever stands before it
		enc := base64.StdEncoding.EncodeToString(append(make([]byte, shift), word...))
		from, to := 2*shift, len(enc)-4
		if shift == 0 {
			from = 0
		}
		forms[fmt.Sprint("base64+", shift)] = []byte(enc[min(from, to):to])
	}
	return forms
}

// leaf is the place of a string in a payload.
type leaf []any

// leaves lists the places of all strings of a payload, keys and indexes from the top.
func leaves(v any, at leaf) []leaf {
	var out []leaf
	switch v := v.(type) {
	case string:
		return []leaf{append(leaf{}, at...)}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) { // in one order, so that a seed goes the same way again
			out = append(out, leaves(v[k], append(append(leaf{}, at...), k))...)
		}
	case []any:
		for i := range v {
			out = append(out, leaves(v[i], append(append(leaf{}, at...), i))...)
		}
	}
	return out
}

// planted returns the payload with the value at a place replaced.
func planted(t *testing.T, payload []byte, at leaf, value any) []byte {
	t.Helper()
	var root any
	if err := json.Unmarshal(payload, &root); err != nil {
		t.Fatal(err)
	}
	node := root
	for i, step := range at {
		last := i == len(at)-1
		switch n := node.(type) {
		case map[string]any:
			if last {
				n[step.(string)] = value
			}
			node = n[step.(string)]
		case []any:
			if last {
				n[step.(int)] = value
			}
			node = n[step.(int)]
		}
	}
	b, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// field is one text of one recorded event.
type field struct {
	event   string
	payload []byte
	at      leaf
}

// fields are all texts of all recorded events, but the one that names the event.
func fields(t *testing.T, p *world.Person) []field {
	t.Helper()
	var out []field
	for _, name := range world.Events(t) {
		if strings.HasPrefix(name, "http-hook") { // the client's own transport, which runs no program
			continue
		}
		payload := p.Payload(name, nil)
		var v any
		if err := json.Unmarshal(payload, &v); err != nil {
			t.Fatal(err)
		}
		for _, at := range leaves(v, nil) {
			if at[0] != "hook_event_name" {
				out = append(out, field{name, payload, at})
			}
		}
	}
	if len(out) < 300 {
		t.Fatalf("only %d fields in the recorded events", len(out))
	}
	return out
}
