// Command build bundles the viewer: ../src and ../vendor become ../dist, and
// ../dist.gz with the same files, which is embedded. Both are committed. It is
// run by `make web` and never by `go build`.
//
// Beside dist it writes ../dist.json: a hash of every source, so that a test
// without a bundler sees that dist is stale, and what each page loads first.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if err := build(".."); err != nil {
		fmt.Fprintln(os.Stderr, "build the viewer:", err)
		os.Exit(1)
	}
}

// manifest is dist.json.
type manifest struct {
	Source string   `json:"source"` // SHA-256 of all that dist is made of
	First  []string `json:"first"`  // files that the first page loads before it stands, below dist
}

// build bundles the viewer in dir. Its paths are kept out of the output, so
// that the same source gives the same bytes on every machine.
func build(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:     dir,
		EntryPoints:       []string{"src/app.tsx", "src/icon.svg"},
		Outdir:            "dist",
		EntryNames:        "assets/[name]-[hash]",
		ChunkNames:        "assets/[name]-[hash]",
		AssetNames:        "assets/[name]-[hash]",
		NodePaths:         []string{filepath.Join(dir, "vendor")},
		Bundle:            true,
		Splitting:         true,
		Format:            api.FormatESModule,
		Target:            api.ES2022,
		Platform:          api.PlatformBrowser,
		JSX:               api.JSXAutomatic,
		JSXImportSource:   "preact",
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone,
		Metafile:          true,
		LogLevel:          api.LogLevelWarning,
		Loader:            map[string]api.Loader{".svg": api.LoaderCopy},
	})
	if len(result.Errors) > 0 {
		return errors.New("see above")
	}
	outputs, err := read(result.Metafile)
	if err != nil {
		return err
	}
	page, first, err := index(dir, outputs)
	if err != nil {
		return err
	}
	sum, err := sourceSum(dir)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, "dist")); err != nil {
		return err
	}
	files := map[string]string{"index.html": string(page)}
	for _, f := range result.OutputFiles {
		name, err := filepath.Rel(filepath.Join(dir, "dist"), f.Path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)] = string(f.Contents)
	}
	for name, text := range files {
		if err := write(filepath.Join(dir, "dist", filepath.FromSlash(name)), []byte(text)); err != nil {
			return err
		}
	}
	if err := pack(filepath.Join(dir, "dist.gz"), files); err != nil {
		return err
	}
	m, err := json.MarshalIndent(manifest{Source: sum, First: first}, "", "  ")
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "dist.json"), append(m, '\n'))
}

// output is the bundler's description of one of its files.
type output struct {
	EntryPoint string `json:"entryPoint"`
	CSSBundle  string `json:"cssBundle"`
	Imports    []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"imports"`
}

func read(metafile string) (map[string]output, error) {
	var m struct {
		Outputs map[string]output `json:"outputs"`
	}
	err := json.Unmarshal([]byte(metafile), &m)
	return m.Outputs, err
}

// index fills in the page with the names of its files, and lists what the first
// page, pages/today.tsx, loads: the entry, what that imports, the page, the styles.
func index(dir string, outputs map[string]output) (page []byte, first []string, err error) {
	var entry, now, icon string
	for name, o := range outputs {
		switch {
		case o.EntryPoint == "src/app.tsx":
			entry = name
		case o.EntryPoint == "src/pages/today.tsx":
			now = name
		case strings.HasSuffix(name, ".svg"):
			icon = name
		}
	}
	if entry == "" || now == "" || icon == "" || outputs[entry].CSSBundle == "" {
		return nil, nil, errors.New("the entry, the first page, the icon or the styles are not in the bundle")
	}
	start := closure(outputs, entry)
	all := closure(outputs, now)
	for _, f := range start {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	var preload strings.Builder
	for _, f := range all { // the first page's too, which nothing names before the entry runs
		if f != entry {
			fmt.Fprintf(&preload, "<link rel=\"modulepreload\" href=\"/%s\">\n", strings.TrimPrefix(f, "dist/"))
		}
	}
	first = append(all, "dist/index.html", outputs[entry].CSSBundle)
	for i, f := range first {
		first[i] = strings.TrimPrefix(f, "dist/")
	}
	slices.Sort(first)

	raw, err := os.ReadFile(filepath.Join(dir, "src", "index.html"))
	if err != nil {
		return nil, nil, err
	}
	of := func(f string) string { return "/" + strings.TrimPrefix(f, "dist/") }
	filled := strings.NewReplacer("{{script}}", of(entry), "{{style}}", of(outputs[entry].CSSBundle),
		"{{icon}}", of(icon), "{{preload}}\n", preload.String()).Replace(string(raw))
	return []byte(filled), first, nil
}

// closure is a file and all that it imports before it runs, sorted.
func closure(outputs map[string]output, file string) []string {
	seen := map[string]bool{file: true}
	for todo := []string{file}; len(todo) > 0; todo = todo[1:] {
		for _, i := range outputs[todo[0]].Imports {
			if i.Kind == "import-statement" && !seen[i.Path] {
				seen[i.Path] = true
				todo = append(todo, i.Path)
			}
		}
	}
	var out []string
	for f := range seen {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// sourceSum hashes names and contents of all that dist is made of: src, vendor
// and this module. The test of package web does the same.
func sourceSum(dir string) (string, error) {
	sum := sha256.New()
	for _, top := range []string{"build", "src", "vendor"} {
		err := filepath.WalkDir(filepath.Join(dir, top), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%s %d\n", path.Clean(filepath.ToSlash(rel)), len(text))
			sum.Write(text)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// pack writes files by their names as one compressed JSON object.
func pack(file string, files map[string]string) error {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := errors.Join(e.Encode(files), w.Close()); err != nil {
		return err
	}
	return write(file, b.Bytes())
}

func write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
