package mem

import (
	"slices"
	"strings"
	"time"
)

// SharedDir is the directory of a repository that holds memories shared with a team. Note.File of a shared memory
// begins with it.
const SharedDir = ".remanence/"

// Tags of a memory that was read from a shared file. They are not written into the file.
const (
	TagTeam   = "team"
	TagAuthor = "author:" // followed by the name of the last author, as git reports it
)

// TeamPlace begins the name of the file that a memory has on the server of a team, as SharedDir in a repository.
const TeamPlace = "team-server:"

// TeamState is how the synchronization with the server of a team goes.
type TeamState struct {
	Team   string    `json:"team"`
	Synced time.Time `json:"synced,omitzero"` // when this daemon last did it
	Error  string    `json:"error,omitempty"` // why the last attempt failed
}

// Shared reports whether the memory has a file in a repository or on the server of a team.
func (m Memory) Shared() bool { return m.SharedIn(SharedDir) || m.SharedIn(TeamPlace) }

// SharedIn reports whether the memory has a file in a repository, SharedDir, or on the server of a team, TeamPlace.
func (m Memory) SharedIn(place string) bool { return strings.HasPrefix(m.Note.File, place) }

// OfTeam reports whether the present text of the memory comes from a shared file and not from the person.
func (m Memory) OfTeam() bool {
	return m.Trust < TrustUser && slices.Contains(m.Tags, TagTeam) &&
		(m.Shared() || strings.HasPrefix(m.Key, KeyTeam))
}

// KeyTeam is the prefix of the keys of memories that were made from a shared file.
const KeyTeam = "team:"

// TeamAuthor returns the name of the last author of a shared file, "" if it is unknown.
func (m Memory) TeamAuthor() string {
	for _, t := range m.Tags {
		if name, ok := strings.CutPrefix(t, TagAuthor); ok {
			return name
		}
	}
	return ""
}

// OwnTags returns tags without those that only mark a memory as the team's.
func OwnTags(tags []string) []string {
	return slices.DeleteFunc(slices.Clone(tags), func(t string) bool {
		return t == TagTeam || strings.HasPrefix(t, TagAuthor)
	})
}
