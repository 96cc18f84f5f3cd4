package mem

import (
	"errors"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/chars"
)

// Errors that keep a file of the vault from being written.
var (
	ErrConflict = errors.New("changed on both sides") // a copy of the other version was written beside it
	ErrBehind   = errors.New("file changed, read it again first")
)

// HandoffNote is the handoff file of the vault: a session's note for the next one.
type HandoffNote struct {
	Rich     string    // written by the agent or the person; "" if there is none
	Appendix string    // handoff appendix, generated without a model; "" if there is none
	At       time.Time // modification time of the file; zero if there is no file
	Changed  time.Time // as NoteText.Changed
}

// Zero reports whether the handoff is empty.
func (h HandoffNote) Zero() bool { return h.Rich == "" && h.Appendix == "" }

// NoteText is a parsed file of the vault that holds one memory.
type NoteText struct {
	Note              // the file when it was read
	Changed time.Time // when it was last written or moved there, as the file system reports it

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

// VaultChanges holds the differences between the vault and the stored memories.
type VaultChanges struct {
	Notes []NoteText // new or changed files
	Gone  []string   // files that no longer exist
	Bad   []BadNote  // files that cannot be read
}

// BadNote is a file of the vault that was skipped, and the reason.
type BadNote struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// VaultPages are the files of the vault that a briefing contains in full. A
// missing file has an empty Text.
type VaultPages struct {
	Dir            string // the vault
	Identity, User Page
	Log            []string // last lines of LOG.md
	Bad            []BadNote
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

// VaultState is the status of the vault for people.
type VaultState struct {
	Dir              string    `json:"dir"`
	Found            bool      `json:"there"`
	Notes            int       `json:"notes"` // memories with a file
	Identity         bool      `json:"identity"`
	User             bool      `json:"user"`
	Bad              []BadNote `json:"bad"`
	Conflicts        []string  `json:"conflicts"`    // copies that wait for the person
	MissingCritical  []string  `json:"lacking"`      // files named in vault.critical that do not exist
	Index            string    `json:"index"`        // "written", "yours" or "none"
	Hints            string    `json:"hints"`        // the file of project hints, "" if there is none
	DuplicateIDs     []string  `json:"doubled_ids"`  // files with the id of another file
	WithoutInvariant []string  `json:"no_invariant"` // critical memories without an invariant
}

// NoteFile returns the path in the vault of the file that a person named. A name
// without directory means a memory; the ending .md may be missing.
func NoteFile(name string) string {
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
