package mem

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"remanence/internal/chars"
)

// Proposal is a change of a memory that waits for the person: its author has less
// trust than the memory. Nil and empty fields are no part of the change. It is kept
// with its memory and erased with it, or with the session that it came from.
type Proposal struct {
	ID     string `json:"id"` // of what is proposed: the same change has the same id
	Action string `json:"action"`

	Title      *string  `json:"title,omitempty"`
	Body       *string  `json:"body,omitempty"`
	Invariant  *string  `json:"invariant,omitempty"`
	Kind       *Kind    `json:"kind,omitempty"`
	Scope      *Scope   `json:"scope,omitempty"`
	Importance *float64 `json:"importance,omitempty"`
	Resolved   *bool    `json:"resolved,omitempty"`
	Tags       []string `json:"tags,omitzero"`  // replaces, if not nil
	Files      []string `json:"files,omitzero"` // likewise
	Facts      []string `json:"facts,omitzero"` // likewise

	Was     string    `json:"was"` // the text of the memory when it was proposed; the beginning of a long one
	Reason  string    `json:"reason,omitempty"`
	By      Origin    `json:"by"`
	Session string    `json:"session,omitempty"` // of the author, UnknownAgent
	Trust   Trust     `json:"trust"`             // of the author
	At      time.Time `json:"at"`

	// In an answer only.
	Memory   string `json:"memory,omitempty"`   // id of the memory
	Rejected bool   `json:"rejected,omitempty"` // the person rejected it before, so it does not wait
}

// The actions of a Proposal. The others are verbs of MarkAsk.
const (
	ProposeEdit    = "edit"
	ProposeForget  = "forget"
	ProposeRestore = "restore"
	ProposePin     = "pin"
	ProposeUnpin   = "unpin"
)

// MaxProposals is how many proposals wait with one memory; the oldest goes first.
const MaxProposals = 20

// Named returns p with the id of what it proposes.
func (p Proposal) Named() Proposal {
	what := p
	what.ID, what.Was, what.Reason, what.By, what.Session, what.Trust, what.At = "", "", "", "", "", 0, time.Time{}
	b, _ := json.Marshal(what) // of texts and numbers alone
	sum := sha256.Sum256(b)
	p.ID = "pr_" + hex.EncodeToString(sum[:6])
	return p
}

// Text is the proposed text; "" where the text stays.
func (p Proposal) Text() string {
	switch {
	case p.Body != nil && *p.Body != "":
		return *p.Body
	case p.Title != nil:
		return *p.Title
	}
	return ""
}

// texts are all texts that the proposal holds.
func (p Proposal) texts() []string {
	out := append([]string{p.Was, p.Reason}, p.Facts...)
	for _, s := range []*string{p.Title, p.Body, p.Invariant} {
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// Traces are the lines of the proposal as those of a memory, see Traces.
func (p Proposal) Traces() (out []string) {
	for _, text := range p.texts() {
		out = append(out, chars.TraceLines(text)...)
	}
	return out
}

// ProposalsAfter returns the proposals that wait after an edit of their memory.
func ProposalsAfter(list []Proposal, ed Edit) []Proposal {
	if p := ed.Proposed; p != nil && !slices.ContainsFunc(list, func(o Proposal) bool { return o.ID == p.ID }) {
		list = append(slices.Clone(list), *p)
		list = list[max(0, len(list)-MaxProposals):]
	}
	if len(ed.Settled) == 0 {
		return list
	}
	left := slices.DeleteFunc(slices.Clone(list), func(p Proposal) bool { return slices.Contains(ed.Settled, p.ID) })
	if len(left) == 0 {
		return nil
	}
	return left
}
