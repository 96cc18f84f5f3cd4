package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// licenses are those that may be linked into the program, by words that only their text has.
var licenses = []struct {
	id    string
	words *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`(?i)apache license,?\s+version 2\.0`)},
	{"MIT", regexp.MustCompile(`(?i)permission is hereby granted, free of charge, to any person`)},
	{"BSD", regexp.MustCompile(`(?i)redistribution and use in source and binary forms`)},
	{"ISC", regexp.MustCompile(`(?i)permission to use, copy, modify, and(/or)? distribute this software for any purpose`)},
}

// refused names licences that ask more than the notice.
var refused = regexp.MustCompile(`(?i)gnu (lesser |affero )?general public license|mozilla public license|` +
	`business source license|server side public license|commons clause`)

// own names the file with a part's own licence; notice names every file that has to be passed on.
var (
	own    = regexp.MustCompile(`(?i)^(licen[cs]e|copying)(\.txt|\.md)?$`)
	notice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)
)

// part is something that is linked into the program.
type part struct{ name, dir string }

// notices returns the licences of everything that is linked in on any of the platforms. It fails where the licence of a
// part is missing or not among those that may be. Further notices, such as those of what a part contains, are included
// as they are.
func notices(wanted []string) ([]byte, error) {
	parts, err := linked(wanted)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("Licences of what is part of the program remanence, besides its own (LICENSE).\n")
	for _, p := range parts {
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			return nil, err
		}
		found := 0
		for _, e := range entries {
			if !e.Type().IsRegular() || !notice.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(p.dir, e.Name()))
			if err != nil {
				return nil, err
			}
			if own.MatchString(e.Name()) {
				if license(text) == "" {
					return nil, fmt.Errorf("%s: %s is no licence that may be linked in; see licenses in tools/release/notices.go",
						p.name, e.Name())
				}
				found++
			}
			text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
			fmt.Fprintf(&b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), p.name, e.Name(), text)
		}
		if found == 0 {
			return nil, fmt.Errorf("%s has no licence in %s", p.name, p.dir)
		}
	}
	return b.Bytes(), nil
}

// license names a licence by its text; "" is one that is not known, or refused.
func license(text []byte) string {
	flat := regexp.MustCompile(`\s+`).ReplaceAll(text, []byte(" "))
	if refused.Match(flat) {
		return ""
	}
	for _, l := range licenses {
		if l.words.Match(flat) {
			return l.id
		}
	}
	return ""
}

// linked lists the modules that are linked in, Go itself, and the scripts in the viewer.
func linked(wanted []string) ([]part, error) {
	found := map[string]string{"Go " + runtime.Version(): goRoot()}
	for _, p := range wanted {
		goos, arch, _ := strings.Cut(p, "/")
		out, err := output("env", "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch, "go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/remanence")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(out) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				found[name] = dir
			}
		}
	}
	vendor := filepath.Join("internal", "web", "vendor")
	err := filepath.WalkDir(vendor, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "LICENSE" {
			dir := filepath.Dir(path)
			name, _ := filepath.Rel(vendor, dir)
			found[filepath.ToSlash(name)+" (viewer)"] = dir
		}
		return err
	})
	parts := make([]part, 0, len(found))
	for name, dir := range found {
		parts = append(parts, part{name, dir})
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts, err
}

func goRoot() string {
	dir, _ := output("go", "env", "GOROOT")
	return strings.TrimSpace(dir)
}
