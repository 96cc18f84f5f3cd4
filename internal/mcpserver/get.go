package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

const (
	mostIDs    = 20
	someTokens = 2000 // of an answer, by default
	fewTokens  = 100  // the least that makes sense
)

type getArgs struct {
	IDs       texts `json:"ids"`
	MaxTokens int   `json:"max_tokens"`
}

// record is a memory in full, or a session, a checkpoint or a receipt.
type record struct {
	ID         string     `json:"id"`
	Kind       mem.Kind   `json:"kind"`
	Title      string     `json:"title"`
	Text       string     `json:"text,omitempty"`
	From       int        `json:"text_from,omitempty"` // byte of the text that Text begins with
	Facts      []string   `json:"facts,omitempty"`
	Scope      mem.Scope  `json:"scope,omitempty"`
	Project    string     `json:"project,omitempty"`
	Status     mem.Status `json:"status,omitempty"` // where not active
	Open       bool       `json:"open,omitempty"`   // a todo that is not done
	Importance float64    `json:"importance,omitempty"`
	Confidence float64    `json:"confidence,omitempty"`
	Trust      string     `json:"trust,omitempty"`
	Untrusted  bool       `json:"untrusted,omitempty"`
	Tags       []string   `json:"tags,omitempty"`
	Files      []string   `json:"files,omitempty"`
	Command    string     `json:"command,omitempty"`
	Supersedes string     `json:"supersedes,omitempty"`
	Created    string     `json:"created"`
	Source     string     `json:"source"`
}

// getAnswer is the answer of get.
type getAnswer struct {
	Records []record       `json:"records"`
	Missing []string       `json:"missing,omitempty"`
	Next    map[string]any `json:"next,omitempty"`
	Warning string         `json:"warning,omitempty"`
}

func (s *Server) get(ctx context.Context, a getArgs) (any, error) {
	switch {
	case len(a.IDs) == 0:
		return nil, bad("ids is missing").fixedBy("search gives ids")
	case len(a.IDs) > mostIDs:
		return nil, bad("%d ids, %d are allowed at a time", len(a.IDs), mostIDs)
	case a.MaxTokens < 0 || a.MaxTokens > 0 && a.MaxTokens < fewTokens:
		return nil, bad("max_tokens is %d or more", fewTokens)
	}
	parts := make([]part, 0, len(a.IDs))
	for _, id := range a.IDs {
		p, err := partOf(id)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	found, missing, err := s.found(ctx, parts)
	if err != nil {
		return nil, err
	}
	out := getAnswer{Records: []record{}, Missing: missing}
	if len(missing) > 0 {
		out.Warning = "some ids are not there: erased, mistyped, or of another machine"
	}
	left := min(room, 4*cmp.Or(a.MaxTokens, someTokens))
	var later []string
	name := s.projectName(ctx)
	for i, m := range found {
		r := m.record(s)
		r.Project = name(r.Project)
		r.Text, r.From = r.Text[m.at(r.Text):], m.at(r.Text)
		cut := 0
		if size(r) > left && len(out.Records) == 0 {
			cut = r.shorten(left)
		}
		if size(r) > left && len(out.Records) > 0 {
			later = append(later, idsOf(found[i:])...)
			break
		}
		if left -= size(r); cut > 0 {
			later = append(later, fmt.Sprintf("%s@%d", r.ID, r.From+cut))
		}
		out.Records = append(out.Records, r)
	}
	if len(later) > 0 {
		out.Next = map[string]any{"ids": later}
	}
	return out, nil
}

func idsOf(parts []part) []string {
	var ids []string
	for _, p := range parts {
		ids = append(ids, p.id)
	}
	return ids
}

// part is a requested record, from some byte of its text on: "m_7k2q@1800".
type part struct {
	id   string // as given
	name string
	from int
	mem.Memory
	other *record // in place of Memory
}

func (p part) record(s *Server) record {
	if p.other != nil {
		return *p.other
	}
	return s.record(p.Memory)
}

func partOf(id string) (part, error) {
	name, from, ok := strings.Cut(strings.TrimSpace(id), "@")
	p := part{id: id, name: name}
	var err error
	if ok {
		p.from, err = strconv.Atoi(from)
	}
	if err != nil || p.from < 0 || name == "" || len(id) > 64 {
		return p, bad("%q is no id", chars.Clip(id, 40)).fixedBy("ids look like m_7k2q; search gives them")
	}
	return p, nil
}

// at is the byte that the part begins with, at the beginning of a character.
func (p part) at(text string) int {
	n := min(p.from, len(text))
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}

// found returns the requested records that exist, in the order of the request, and the ids of the others.
func (s *Server) found(ctx context.Context, parts []part) (found []part, missing []string, err error) {
	var ids []string
	for _, p := range parts {
		ids = append(ids, p.name)
	}
	got, err := s.Memory.Show(ctx, event.IDs{ProjectRef: s.Place, IDs: ids, Agent: s.agent()})
	if err == nil && len(got.Memories) == len(parts) {
		for i, p := range parts {
			p.Memory = got.Memories[i]
			found = append(found, p)
		}
		return found, nil, nil
	}
	if err != nil && !errors.Is(err, mem.ErrNotFound) && !errors.Is(err, mem.ErrAmbiguous) {
		return nil, nil, err
	}
	for _, p := range parts {
		p.other, err = s.otherRecord(ctx, p.name)
		if p.other != nil {
			found = append(found, p)
			continue
		}
		if err != nil && !errors.Is(err, mem.ErrNotFound) && !errors.Is(err, mem.ErrAmbiguous) {
			return nil, nil, err
		}
		if err != nil {
			missing = append(missing, p.id)
			continue
		}
		got, err := s.Memory.Show(ctx, event.IDs{ProjectRef: s.Place, IDs: []string{p.name}, Agent: s.agent()})
		switch {
		case err == nil && len(got.Memories) == 1:
			p.Memory = got.Memories[0]
			found = append(found, p)
		case err == nil || errors.Is(err, mem.ErrNotFound) || errors.Is(err, mem.ErrAmbiguous):
			missing = append(missing, p.id)
		default:
			return nil, nil, err
		}
	}
	return found, missing, nil
}

func (s *Server) record(m mem.Memory) record {
	r := record{
		ID: m.ID, Kind: m.Kind, Title: chars.Clip(s.Plain(m.Title), 240), Text: s.plainText(bodyOf(m)),
		Facts: s.plain(m.Facts, 8, 300), Scope: m.Scope, Project: m.Project,
		Open: m.Kind == mem.Todo && !m.Resolved, Importance: m.Importance, Confidence: m.Confidence, Trust: m.Trust.String(),
		Untrusted: m.Trust == mem.TrustNone,
		Tags:      s.plain(m.Tags, 10, 60), Files: s.plain(m.Files, 10, 160), Command: chars.Clip(s.Plain(m.Command), 200),
		Supersedes: m.Supersedes,
		Created:    m.Created.UTC().Format(time.RFC3339), Source: chars.Clip(s.Source(m), 300),
	}
	if m.Status != mem.Active {
		r.Status = m.Status
	}
	return r
}

// bodyOf returns the text of a memory; of a summary its parts.
func bodyOf(m mem.Memory) string {
	t := m.Summary
	if t == nil {
		return m.Body
	}
	return strings.TrimSpace(strings.Join(slices.DeleteFunc([]string{
		labelled("Request: ", t.Request), labelled("Investigated: ", t.Investigated), labelled("Learned: ", t.Learned),
		labelled("Completed: ", t.Completed), labelled("Next: ", t.NextSteps), labelled("Notes: ", t.Notes),
	}, func(s string) bool { return s == "" }), "\n"))
}

func labelled(head, text string) string {
	if text == "" {
		return ""
	}
	return head + text
}

// plainText applies Plain to each line of a text.
func (s *Server) plainText(text string) string {
	out := strings.Split(text, "\n")
	for i, line := range out {
		out[i] = s.Plain(line)
	}
	return strings.Join(out, "\n")
}

// plain applies Plain to at most n texts and clips each to size characters.
func (s *Server) plain(list []string, n, size int) []string {
	var out []string
	for _, text := range list[:min(n, len(list))] {
		out = append(out, chars.Clip(s.Plain(text), size))
	}
	return out
}

// leastText is the least number of bytes of a text that is shown if it has to be cut.
const leastText = 200

// shorten cuts the text so that the record fits, down to leastText, and returns
// how many bytes of the text are left. 0 means that nothing was cut.
func (r *record) shorten(left int) int {
	text := r.Text
	r.Text = ""
	for _, list := range []*[]string{&r.Facts, &r.Files, &r.Tags} { // many, of wide characters
		if size(r) > room-2*leastText {
			*list = nil
		}
	}
	left = max(left, size(r)+leastText)
	for n := len(text); ; n = n * 7 / 8 {
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		if r.Text = text[:n]; size(r) <= left || n == 0 {
			return n % max(1, len(text)) // 0 if nothing was cut
		}
	}
}
