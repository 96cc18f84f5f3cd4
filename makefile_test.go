package remanence

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The race run skips the tests of the Makefile's list ALONE. Without this test a renamed one would silently be run
// again, which takes minutes.
func TestTheMakefileNamesTestsThatExist(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	alone := regexp.MustCompile(`(?m)^ALONE +:= ((?:.*\$\\\n)*.*)`).FindStringSubmatch(string(makefile))
	if alone == nil {
		t.Fatal("the Makefile has no list ALONE")
	}
	tests := testNames(t)
	for name := range strings.SplitSeq(strings.ReplaceAll(alone[1], "$\\\n", ""), "|") {
		if !regexp.MustCompile(`(?m)^` + name + `$`).MatchString(tests) {
			t.Errorf("ALONE names %q, and there is no such test: was it renamed?", name)
		}
	}
}

// testNames returns the names of all top-level tests of the module, one a line.
func testNames(t *testing.T) string {
	t.Helper()
	var names strings.Builder
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, dir := range []string{"cmd", "internal", "test"} {
		err := filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, "_test.go") {
				return err
			}
			code, err := os.ReadFile(file)
			for _, m := range test.FindAllSubmatch(code, -1) {
				names.WriteString(string(m[1]) + "\n")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names.String()
}
