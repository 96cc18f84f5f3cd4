package secrets

import (
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"remanence/test/tier"
)

// library returns the source of Go's standard library: much ordinary text with hardly a secret in it.
func library(t testing.TB) fs.FS {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return os.DirFS(strings.TrimSpace(string(root)) + "/src")
}

// sources calls visit with every file that is code and no test.
func sources(t testing.TB, src fs.FS, visit func(path, text string)) {
	t.Helper()
	err := fs.WalkDir(src, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "testdata/") {
			return err
		}
		raw, err := fs.ReadFile(src, path)
		if err == nil {
			visit(path, string(raw))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// perMegabyte is the limit of false positives in ordinary source.
const perMegabyte = 2

func TestOrdinarySourceIsLeftAlone(t *testing.T) {
	f := New(nil)
	share := tier.Runs(8, 1) // every eighth file
	n, size, found := 0, 0, 0
	sources(t, library(t), func(path, text string) {
		if n++; n%share != 0 {
			return
		}
		size += len(text)
		for _, s := range f.Find(text) {
			found++
			t.Logf("%s: %s: %q", path, s.Kind, text[s.From:s.To])
		}
	})
	t.Logf("%d taken for secrets in %d bytes, %.2f in a megabyte", found, size, float64(found)/float64(size)*1e6)
	if size < 1<<20 {
		t.Fatalf("only %d bytes of source", size)
	}
	if float64(found) > perMegabyte*float64(size)/1e6 {
		t.Errorf("%d taken for secrets in %d bytes, want at most %d in a megabyte", found, size, perMegabyte)
	}
}

// Ordinary source: the speed, and the false positives per megabyte.
func BenchmarkStandardLibrary(b *testing.B) {
	var files []string
	size := 0
	sources(b, library(b), func(_, text string) {
		files = append(files, text)
		size += len(text)
	})
	b.SetBytes(int64(size))
	found := 0
	for b.Loop() {
		found = 0
		f := New(nil)
		for _, text := range files {
			found += len(f.Find(text))
		}
	}
	b.ReportMetric(float64(found)/float64(size)*1e6, "found/MB")
}
