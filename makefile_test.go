package remanence

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRaceSkipsTestsThatItWouldRun checks the Makefile's list ALONE, which the race run skips. Each entry is a test
// that exists, has its name alone, starts no goroutine itself, and is in a package that the race run tests. Without
// this a renamed test would be run again, which takes minutes, and a namesake would be skipped.
func TestRaceSkipsTestsThatItWouldRun(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	alone := regexp.MustCompile(`(?m)^ALONE +:= ((?:.*\$\\\n)*.*)`).FindStringSubmatch(string(makefile))
	second := regexp.MustCompile(`(?m)^SECOND +:= (.*)`).FindStringSubmatch(string(makefile))
	if alone == nil || second == nil {
		t.Fatal("the Makefile has no list ALONE or no pattern SECOND")
	}
	goroutine := regexp.MustCompile(strings.ReplaceAll(second[1], "^", "(?m:^)"))
	tests, paired := testFunctions(t, goroutine)
	entries := strings.Split(strings.ReplaceAll(alone[1], "$\\\n", ""), "|")
	if len(entries) < 10 {
		t.Fatalf("ALONE has %d entries, want those of the Makefile", len(entries))
	}
	for i, entry := range entries {
		if slices.Contains(entries[:i], entry) {
			t.Errorf("ALONE names %q twice", entry)
		}
		pattern, found := regexp.MustCompile(`^(?:`+entry+`)$`), 0
		for name, of := range tests {
			if !pattern.MatchString(name) {
				continue
			}
			found++
			if len(of) > 1 {
				t.Errorf("ALONE names %q: %s is in %s and %s, and both are skipped", entry, name, of[0].dir, of[1].dir)
			}
			if goroutine.MatchString(of[0].code) {
				t.Errorf("ALONE names %q: %s starts a second goroutine", entry, name)
			}
			if !paired[of[0].dir] {
				t.Errorf("ALONE names %q, and the race run leaves out %s anyway: nothing there starts a goroutine", entry,
					of[0].dir)
			}
		}
		if found == 0 {
			t.Errorf("ALONE names %q, and there is no such test: was it renamed?", entry)
		}
	}
}

// testFunction is a top-level test.
type testFunction struct{ dir, code string }

// testFunctions returns all top-level tests of the module by name, and the directories in which any file starts a
// goroutine.
func testFunctions(t *testing.T, goroutine *regexp.Regexp) (tests map[string][]testFunction, paired map[string]bool) {
	t.Helper()
	tests, paired = map[string][]testFunction{}, map[string]bool{}
	test := regexp.MustCompile(`(?ms)^func (Test\w+)\(.*?^}`)
	for _, top := range []string{"cmd", "internal", "test"} {
		err := filepath.WalkDir(top, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") {
				return err
			}
			code, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			dir := filepath.Dir(file)
			paired[dir] = paired[dir] || goroutine.Match(code)
			if strings.HasSuffix(file, "_test.go") {
				for _, m := range test.FindAllSubmatch(code, -1) {
					tests[string(m[1])] = append(tests[string(m[1])], testFunction{dir, string(m[0])})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tests, paired
}
