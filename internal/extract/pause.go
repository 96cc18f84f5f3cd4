package extract

import "strings"

// Within reports whether a path is that of a directory or of something in it.
func Within(dir, name string) bool {
	dir, name = strings.TrimSuffix(Slashed(dir), "/"), Slashed(name)
	return dir != "" && (name == dir || strings.HasPrefix(name, dir+"/"))
}

// Slashed is a path whose back slashes are slashes.
func Slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }
