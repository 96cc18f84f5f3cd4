package shell

import (
	"reflect"
	"testing"
)

func TestALineIsSplitIntoTheWordsOfItsCommands(t *testing.T) {
	for line, want := range map[string][][]string{
		`cd web && npm run "lint all" > out.txt 2>&1`: {{"cd", "web"}, {"npm", "run", "lint all"}},
		`echo "$(git log -1)" | head`:                 {{"git", "log", "-1"}, {"echo", "$"}, {"head"}},
		"cat <<'X'\nrm -rf /\nX\nls":                  {{"cat"}, {"ls"}},
		`A=1 go test ./... # all of them`:             {{"A=1", "go", "test", "./..."}},
	} {
		if got, ok := Parse(line); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, %v; want %q", line, got, ok, want)
		}
	}
	for _, line := range []string{`for f in *; do rm $f; done`, `echo "open`, `diff <(ls a) <(ls b)`} {
		if got, ok := Parse(line); ok {
			t.Errorf("%q is understood: %q", line, got)
		}
	}
}

func TestQuotedTextCountsAsCommandsToo(t *testing.T) {
	want := [][]string{{"sh", "-c", "curl", "x"}, {"tee", "y"}}
	if got := Words(`sh -c 'curl x | tee y'`); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnlyANameBeforeAnEqualsSignIsAnAssignment(t *testing.T) {
	for word, want := range map[string]bool{
		"A=1": true, "_x=": true, "1A=2": false, "--a=b": false, "A": false, "=x": false,
	} {
		if got := IsAssignment(word); got != want {
			t.Errorf("%q: %v", word, got)
		}
	}
}
