package config

import (
	"runtime/debug"
	"strings"
)

// Development is the version of every build that is not a release.
const Development = "0.0.0-dev"

// What a release sets at link time (tools/release); everything else is a development build.
var (
	Version    = Development // the release's number, such as 1.2.3
	Repository string        // where releases are published, such as https://github.com/owner/remanence
	commit     string
	date       string // of the commit, RFC 3339
)

// Source is the state of the sources that this program was built from.
type Source struct {
	Commit   string // empty: the build does not say
	Date     string // of the commit, RFC 3339; empty: the build does not say
	Modified bool   // files differed from the commit
}

// BuiltFrom returns the sources of this program: those of the release, else what the go command recorded of git.
func BuiltFrom() Source {
	if commit != "" {
		return Source{Commit: commit, Date: date}
	}
	var s Source
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return s
	}
	for _, set := range info.Settings {
		switch set.Key {
		case "vcs.revision":
			s.Commit = set.Value
		case "vcs.time":
			s.Date = set.Value
		case "vcs.modified":
			s.Modified = set.Value == "true"
		}
	}
	return s
}

// String is the commit in a few words.
func (s Source) String() string {
	if s.Commit == "" {
		return "an unknown commit"
	}
	day, _, _ := strings.Cut(s.Date, "T")
	text := strings.TrimSpace("commit " + s.Commit[:min(12, len(s.Commit))] + " " + day)
	if s.Modified {
		text += ", modified"
	}
	return text
}
