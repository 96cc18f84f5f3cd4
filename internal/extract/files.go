package extract

import (
	"path"
	"slices"
	"strings"

	"remanence/internal/mem"
)

// MaxFiles bounds the files of a memory.
const MaxFiles = 20

// FilesOf returns the files that memories name, without duplicates.
func FilesOf(own []mem.Memory) []string {
	var files []string
	for _, o := range own {
		for _, f := range o.Files {
			files = AppendNew(files, f, MaxFiles)
		}
	}
	return files
}

// FilesNamedIn lists the files whose path or base name the sentence holds, and the
// paths it spells out itself.
func FilesNamedIn(s string, files []string) []string {
	var out []string
	for _, f := range files {
		if strings.Contains(s, f) || strings.Contains(s, path.Base(f)) {
			out = AppendNew(out, f, 3)
		}
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" `'\"(),;:。，、", r) }) {
		w = strings.TrimRight(w, ".!?")
		ext := path.Ext(w)
		known := slices.ContainsFunc(out, func(f string) bool { return f == w || path.Base(f) == w })
		if !known && strings.Contains(w, "/") && len(ext) > 1 && len(ext) < 6 && !strings.Contains(w, "://") &&
			!strings.HasPrefix(w, "/") {
			out = AppendNew(out, path.Clean(w), 3)
		}
	}
	return out
}

// Within reports whether a path is that of a directory or of a file below it.
func Within(dir, name string) bool {
	dir, name = strings.TrimSuffix(Slashed(dir), "/"), Slashed(name)
	return dir != "" && (name == dir || strings.HasPrefix(name, dir+"/"))
}

// Slashed returns a path with slashes for its backslashes.
func Slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }
