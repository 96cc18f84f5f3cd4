package sqlite

import (
	"encoding/json"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// standing is the content of the column of that name: fields that few memories
// have. Most rows have none of them and need no decoding.
type standing struct {
	Invariant string         `json:"invariant,omitempty"`
	Projects  []string       `json:"projects,omitempty"`
	HalfLife  float64        `json:"half_life_days,omitempty"`
	Evergreen bool           `json:"evergreen,omitempty"`
	Promoted  mem.Scope      `json:"promoted_from,omitempty"`
	Prevented int            `json:"prevented,omitempty"`
	Feedback  []mem.Feedback `json:"feedback,omitempty"`
	Proposals []mem.Proposal `json:"proposals,omitempty"`
	UsedIn    []mem.Use      `json:"session_ids,omitempty"`
	Commits   []mem.Commit   `json:"commits,omitempty"`
	Hash      string         `json:"hash,omitempty"` // of the note, as the next two
	Size      int64          `json:"size,omitempty"`
	Written   time.Time      `json:"written,omitzero"`
	State     string         `json:"state,omitempty"`
	BaseUses  int            `json:"base_uses,omitempty"`
	BaseSaved int            `json:"base_prevented,omitempty"`
}

// packStanding returns the column's JSON, or "" if all fields are empty.
func packStanding(m mem.Memory) (string, error) {
	lists := len(m.Projects) + len(m.Feedback) + len(m.Proposals) + len(m.UsedIn) + len(m.Commits)
	if m.Invariant == "" && lists+m.Prevented == 0 && m.HalfLife == 0 && !m.Evergreen &&
		m.PromotedFrom == "" && m.Note == (mem.Note{}) {
		return "", nil
	}
	return stored.Text(standing{
		Invariant: m.Invariant, Projects: m.Projects, HalfLife: m.HalfLife, Evergreen: m.Evergreen, Promoted: m.PromotedFrom,
		Prevented: m.Prevented, Feedback: m.Feedback, Proposals: m.Proposals, UsedIn: m.UsedIn, Hash: m.Note.Hash,
		Commits: m.Commits, Size: m.Note.Size, Written: m.Note.Written,
		State: m.Note.State, BaseUses: m.Note.Uses, BaseSaved: m.Note.Prevented,
	})
}

// unpackStanding decodes the column into m.
func unpackStanding(stored string, m *mem.Memory) error {
	var s standing
	err := json.Unmarshal([]byte(stored), &s)
	m.Invariant, m.Projects, m.HalfLife, m.Evergreen, m.PromotedFrom = s.Invariant, s.Projects, s.HalfLife, s.Evergreen,
		s.Promoted
	m.Prevented, m.Feedback, m.Proposals, m.UsedIn, m.Commits = s.Prevented, s.Feedback, s.Proposals, s.UsedIn, s.Commits
	m.Note.Hash, m.Note.Size, m.Note.Written = s.Hash, s.Size, s.Written
	m.Note.State, m.Note.Uses, m.Note.Prevented = s.State, s.BaseUses, s.BaseSaved
	return err
}
