package stored

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/mem"
)

// MemoryColumns are the columns of a memory that hold JSON, "" where there is nothing to hold. SQLite's table has them,
// and so has an export, whatever database it comes from.
type MemoryColumns struct {
	Facts, Concepts, Tags, Files, Anchors, Modified, Summary, Source, Standing string
}

// PackMemory encodes the columns of a memory.
func PackMemory(m mem.Memory) (c MemoryColumns, err error) {
	c.Facts, c.Concepts, c.Tags, c.Files = list(m.Facts), list(m.Concepts), list(m.Tags), list(m.Files)
	c.Anchors, c.Modified = list(m.Anchors), list(m.Modified)
	if m.Summary != nil {
		if c.Summary, err = Text(m.Summary); err != nil {
			return c, err
		}
	}
	if c.Standing, err = packStanding(m); err != nil {
		return c, err
	}
	c.Source, err = Text(m.Source)
	return c, err
}

// Unpack decodes the columns into a memory. After an error the fields that could be decoded are set.
func (c MemoryColumns) Unpack(m *mem.Memory) error {
	errs := []error{
		unlist(c.Facts, &m.Facts), unlist(c.Concepts, &m.Concepts), unlist(c.Tags, &m.Tags), unlist(c.Files, &m.Files),
		unlist(c.Modified, &m.Modified), unlist(c.Anchors, &m.Anchors),
	}
	if c.Summary != "" {
		errs = append(errs, json.Unmarshal([]byte(c.Summary), &m.Summary))
	}
	if c.Standing != "" {
		errs = append(errs, unpackStanding(c.Standing, m))
	}
	if !unpackSource(c.Source, &m.Source) {
		errs = append(errs, json.Unmarshal([]byte(c.Source), &m.Source))
	}
	return errors.Join(errs...)
}

// unpackSource decodes a source without escapes, nearly all of them: package json takes ten times as long, and a search
// reads many memories.
func unpackSource(s string, into *mem.Source) bool {
	inner, ok := between(s, `{"`, `"}`)
	if !ok || !plain(s) {
		return false
	}
	out := *into
	for member := range strings.SplitSeq(inner, `","`) {
		name, value, ok := strings.Cut(member, `":"`)
		if !ok || quoted(value) {
			return false
		}
		switch name {
		case "agent":
			out.Agent = value
		case "session":
			out.Session = value
		case "prompt_id":
			out.PromptID = value
		case "event":
			out.Event = value
		case "tool_use_id":
			out.ToolUseID = value
		case "agent_id":
			out.AgentID = value
		default:
			return false
		}
	}
	*into = out
	return true
}

// plain reports whether JSON has no escapes, so that its strings stand in it as they are.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '\\' {
			return false
		}
	}
	return utf8.ValidString(s)
}

func quoted(s string) bool { return strings.Contains(s, `"`) }

// between returns what stands between a prefix and a suffix.
func between(s, prefix, suffix string) (string, bool) {
	if len(s) < len(prefix)+len(suffix) || !strings.HasPrefix(s, prefix) || !strings.HasSuffix(s, suffix) {
		return "", false
	}
	return s[len(prefix) : len(s)-len(suffix)], true
}

// list encodes a list as JSON, an empty one as "".
func list[T any](v []T) string {
	if len(v) == 0 {
		return ""
	}
	s, _ := Text(v) // strings and structs of strings can always be encoded
	return s
}

// unlist decodes the result of list.
func unlist[S ~[]T, T any](s string, into *S) error {
	if s == "" {
		return nil
	}
	if texts, ok := any(into).(*mem.Strings); ok && plain(s) {
		if inner, ok := between(s, `["`, `"]`); ok {
			if list := strings.Split(inner, `","`); !slices.ContainsFunc(list, quoted) {
				*texts = list
				return nil
			}
		}
	}
	if err := json.Unmarshal([]byte(s), into); err != nil {
		return fmt.Errorf("stored list: %w", err)
	}
	return nil
}

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
	Front     string         `json:"front,omitempty"`
	End       string         `json:"end,omitempty"`
}

// packStanding returns the column's JSON, or "" if all fields are empty.
func packStanding(m mem.Memory) (string, error) {
	lists := len(m.Projects) + len(m.Feedback) + len(m.Proposals) + len(m.UsedIn) + len(m.Commits)
	if m.Invariant == "" && lists+m.Prevented == 0 && m.HalfLife == 0 && !m.Evergreen &&
		m.PromotedFrom == "" && m.Note == (mem.Note{}) {
		return "", nil
	}
	return Text(standing{
		Invariant: m.Invariant, Projects: m.Projects, HalfLife: m.HalfLife, Evergreen: m.Evergreen, Promoted: m.PromotedFrom,
		Prevented: m.Prevented, Feedback: m.Feedback, Proposals: m.Proposals, UsedIn: m.UsedIn, Hash: m.Note.Hash,
		Commits: m.Commits, Size: m.Note.Size, Written: m.Note.Written,
		State: m.Note.State, BaseUses: m.Note.Uses, BaseSaved: m.Note.Prevented, Front: m.Note.Front, End: m.Note.End,
	})
}

// unpackStanding decodes the column into m.
func unpackStanding(text string, m *mem.Memory) error {
	var s standing
	err := json.Unmarshal([]byte(text), &s)
	m.Invariant, m.Projects, m.HalfLife, m.Evergreen, m.PromotedFrom = s.Invariant, s.Projects, s.HalfLife, s.Evergreen,
		s.Promoted
	m.Prevented, m.Feedback, m.Proposals, m.UsedIn, m.Commits = s.Prevented, s.Feedback, s.Proposals, s.UsedIn, s.Commits
	m.Note.Hash, m.Note.Size, m.Note.Written = s.Hash, s.Size, s.Written
	m.Note.State, m.Note.Uses, m.Note.Prevented = s.State, s.BaseUses, s.BaseSaved
	m.Note.Front, m.Note.End = s.Front, s.End
	return err
}
