package mem

import (
	"errors"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/chars"
)

// What keeps a file of the vault from being written.
var (
	ErrConflict = errors.New("changed on both sides") // the other side was put beside it
	ErrBehind   = errors.New("to be read again before it is written")
)

// HandoffNote is what a session left for the next in the vault.
type HandoffNote struct {
	Rich    string    // written with care, by the agent or the person; "" if there is none
	Tail    string    // what happened since, by rule; "" if there is none
	At      time.Time // when the file was last written; zero if there is no file
	Changed time.Time // the same, as in NoteText
}

// Zero reports whether there is nothing.
func (h HandoffNote) Zero() bool { return h.Rich == "" && h.Tail == "" }

// NoteText is what a file of the vault says of one memory.
type NoteText struct {
	Note              // the file as it was read
	Changed time.Time // when it was last written or put there, as far as the system tells

	ID          string // ours, if the file has one
	Name        string
	Description string
	Type        string // as the file has it; KindOfType says what it means
	Status      string // as the file has it: Forgotten or empty
	Body        string // all below the frontmatter
	Tags        []string
	Projects    []string
	Hits        int
	Caught      int // mistakes prevented
	LastApplied time.Time
	Created     time.Time
	HalfLife    float64 // days; 0 means none of its own
	Critical    bool
	Evergreen   bool
	Invariant   string
}

// NoteChange is what is to be written into the file of a memory. Nil leaves a
// value as it stands.
type NoteChange struct {
	ID                                    *string // if it has none
	Name, Description, Type, Status, Body *string
	Invariant                             *string
	Tags, Projects                        []string
	Critical, Evergreen                   *bool
	HalfLife                              *float64
	Hits, Caught                          *int
	LastApplied                           *time.Time

	// Whole says that it is all that a file says: one that is not there is made of it.
	Whole bool
}

// Text reports whether the change is one of what the note says, not only of how
// often it was used.
func (c NoteChange) Text() bool {
	return c.Description != nil || c.Type != nil || c.Status != nil || c.Body != nil || c.Invariant != nil || c.Tags != nil || c.Critical != nil
}

// VaultLook is what differs in the vault from what is known of it.
type VaultLook struct {
	Notes []NoteText // new, or with other content than before
	Gone  []string   // files that were known and are not there
	Bad   []BadNote  // files that cannot be read, as long as they are there
}

// BadNote is a file of the vault that was left out.
type BadNote struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// VaultPages are the files of the vault that are told as they are. An absent one
// has no text.
type VaultPages struct {
	Dir            string // of the vault
	Identity, User Page
	Log            []string // its last lines
	Bad            []BadNote
}

// IndexEntry is one line of an index of files: a link and what is behind it, at
// most maxEntry characters. Where there is no room for both, it is without what
// is behind it, and the name is cut last.
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

// maxEntry bounds an entry of an index, in characters; its mark comes on top.
const maxEntry = 158

// Page is one such file.
type Page struct {
	File string
	Hash string // of its text
	Text string
}

// Hints are what the person says about the place that a session works in.
type Hints struct {
	Tags  []string // of the project, in lower case
	Boost float64  // on the weight of what belongs to it; 0 means the configured one
}

// VaultState is how a vault stands.
type VaultState struct {
	Dir       string    `json:"dir"`
	There     bool      `json:"there"`
	Notes     int       `json:"notes"` // memories with a file
	Identity  bool      `json:"identity"`
	User      bool      `json:"user"`
	Bad       []BadNote `json:"bad"`
	Conflicts []string  `json:"conflicts"`    // copies of ours that wait for the person
	Lacking   []string  `json:"lacking"`      // files named in vault.critical that are not there
	Index     string    `json:"index"`        // "written", "yours" or "none"
	Hints     string    `json:"hints"`        // the file of project hints, "" if there is none
	Doubled   []string  `json:"doubled_ids"`  // files with an id that another has
	Long      []string  `json:"no_invariant"` // critical memories without an invariant
}

// NoteFile is the file of the vault that a person means: one of its memories, with
// or without folder and ending, or another by its name.
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
