package mem

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Use is one turn in which a memory was used, and what shows it.
type Use struct {
	Turn string    `json:"turn"`           // session and prompt, joined by a slash; empty if unknown
	How  UseKind   `json:"how,omitempty"`  // empty if it was not recorded
	File string    `json:"file,omitempty"` // of Edited: the file of the memory that was edited
	At   time.Time `json:"at,omitzero"`
}

// UseKind says what showed that a memory was used.
type UseKind string

// The kinds of uses. The last two are uses that an agent acted out: it did what the injected memory is about.
const (
	Cited   UseKind = "cited"   // an answer named its id or file
	Fetched UseKind = "fetched" // an agent read it whole
	Rated   UseKind = "rated"   // it was reported as useful
	Edited  UseKind = "edited"  // a file that it names was edited after the injection
	Ran     UseKind = "ran"     // its command was run after the injection
)

// Session returns the id of the session of the use.
func (u Use) Session() string {
	session, _, _ := strings.Cut(u.Turn, "/")
	return session
}

// UnmarshalJSON reads a use. Older stores have the turn alone, as a string.
func (u *Use) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &u.Turn)
	}
	type plain Use
	return json.Unmarshal(raw, (*plain)(u))
}

// usedIn reports whether a use in the turn is recorded.
func (m Memory) usedIn(turn string) bool {
	return slices.ContainsFunc(m.UsedIn, func(u Use) bool { return u.Turn == turn })
}
