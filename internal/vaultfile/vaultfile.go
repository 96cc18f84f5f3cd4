// Package vaultfile holds the values that the use cases and package vault exchange:
// memories, pages and the handoff as files of the vault contain them, and changes
// of such files. The vault is the person's folder of markdown files.
//
// The package does no I/O and knows no file format apart from the handoff's
// appendix. Start reading at [Note] and [NoteChange].
package vaultfile

import (
	"errors"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// ErrBehind keeps a file of the vault from being written: the file is newer than what the writer read.
var ErrBehind = errors.New("file changed, read it again first")

// Handoff is the handoff file of the vault: a session's note for the next one.
type Handoff struct {
	Rich     string    // written by the agent or the person; "" if there is none
	Appendix string    // handoff appendix, generated without a model; "" if there is none
	At       time.Time // modification time of the file; zero if there is no file
	Changed  time.Time // as Note.Changed
}

// Note is a parsed file of the vault that holds one memory.
type Note struct {
	mem.Note           // the file when it was read
	Changed  time.Time // when it was last written or moved there, as the file system reports it

	ID          string // of the memory, if the file has one
	Name        string
	Description string
	Type        string // as the file has it; see KindOfType
	Status      string // as the file has it: Forgotten or empty
	Body        string // text below the frontmatter
	Tags        []string
	Projects    []string
	Hits        int
	Caught      int // prevented mistakes
	LastApplied time.Time
	Created     time.Time
	HalfLife    float64 // days; 0 means the configured one
	Critical    bool
	Evergreen   bool
	Invariant   string
}

// NoteChange is a change of a memory's file in the vault. Nil fields stay as they are.
type NoteChange struct {
	ID                                    *string // if it has none
	Name, Description, Type, Status, Body *string
	Invariant                             *string
	Tags, Projects                        []string
	Critical, Evergreen                   *bool
	HalfLife                              *float64
	Hits, Caught                          *int
	LastApplied                           *time.Time

	// Whole means that the change has the full content. A missing file is then created.
	Whole bool
}

// Text reports whether the change affects the content, not only the use counters.
func (c NoteChange) Text() bool {
	return c.Description != nil || c.Type != nil || c.Status != nil || c.Body != nil ||
		c.Invariant != nil || c.Tags != nil || c.Critical != nil
}

// Changes holds the differences between the vault and the stored memories.
type Changes struct {
	Notes []Note    // new or changed files
	Gone  []string  // files that no longer exist
	Bad   []BadFile // files that cannot be read
}

// BadFile is a file of the vault that was skipped, and the reason.
type BadFile struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// Pages are the files of the vault that a briefing contains in full. A
// missing file has an empty Text.
type Pages struct {
	Dir            string // the vault
	Identity, User Page
	Log            []string // last lines of LOG.md
	Bad            []BadFile
}

// IndexEntry returns one line of an index of files: a Markdown link and a
// description, at most maxEntry characters. If both do not fit, the description
// is left out; if the name alone does not fit, it is clipped.
func IndexEntry(name, about, file string) string {
	plain := func(s string) string { return strings.NewReplacer("[", "(", "]", ")").Replace(chars.Line(s)) }
	link := func(name string) string { return "[" + name + "](" + file + ")" }
	name, about = plain(name), plain(about)
	if full := link(name) + " — " + about; about != "" && about != name && utf8.RuneCountInString(full) <= maxEntry {
		return full
	}
	if room := maxEntry - utf8.RuneCountInString(link("")); utf8.RuneCountInString(name) > room {
		name = chars.Clip(name, max(1, room))
	}
	return link(name)
}

// maxEntry is the largest length of an index entry in characters, without list marker.
const maxEntry = 158

// Page is one file of the vault with its content.
type Page struct {
	File string
	Hash string // of Text
	Text string
}

// Hints are a person's settings for the directory that a session works in.
type Hints struct {
	Tags  []string // of the project, in lower case
	Boost float64  // factor on the weight of the project's memories; 0 means the configured one
}

// Path returns the path in the vault of the file that a person named. A name
// without directory means a memory; the ending .md may be missing.
func Path(name string) string {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if !strings.HasSuffix(name, ".md") {
		name += ".md"
	}
	switch name {
	case "IDENTITY.md", "USER.md", "LOG.md", "MEMORY.md":
		return name
	}
	if path.Dir(name) == "." {
		return path.Join("memory", name)
	}
	return name
}
