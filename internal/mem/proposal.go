package mem

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"remanence/internal/chars"
)

// Proposal is a change of a memory that waits for a person's decision, because
// its author has less trust than the memory. Nil and zero fields are not part of
// the change. It is erased with its memory, or with the session it came from.
type Proposal struct {
	ID     string `json:"id"`     // hash of the change, see [Proposal.Named]
	Action string `json:"action"` // edit, forget, restore, pin or unpin
	// Disputes marks a proposal to forget by which an agent reports that the memory is wrong.
	Disputes bool    `json:"disputes,omitempty"`
	Believed float64 `json:"believed,omitempty"` // with Disputes: the memory's confidence before the report lowered it

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

	Was     string    `json:"was"` // the memory's text when the change was proposed; clipped
	Reason  string    `json:"reason,omitempty"`
	By      Origin    `json:"by"`
	Session string    `json:"session,omitempty"` // of the author; UnknownAgent if unknown
	Trust   Trust     `json:"trust"`             // of the author
	At      time.Time `json:"at"`

	// Set only in responses.
	Memory   string `json:"memory,omitempty"`   // id of the memory
	Rejected bool   `json:"rejected,omitempty"` // a person rejected the same change before; it does not wait
}

// Disputed reports whether an agent that may report on the memory says that it is wrong. Unless it is pinned, it is
// then not injected unasked until a person decides.
func (m Memory) Disputed() bool {
	return !m.Pinned && slices.ContainsFunc(m.Proposals, func(p Proposal) bool {
		return p.Disputes && p.Trust >= min(m.Trust, TrustAssistant)
	})
}

// maxProposals is the largest number of waiting proposals of a memory. A further
// proposal removes the oldest.
const maxProposals = 20

// WithID returns p with its ID set. Equal changes have equal ids.
func (p Proposal) WithID() Proposal {
	var change struct {
		Proposal
		Trust int       `json:"trust"` // a number, as in the ids of stored proposals
		At    time.Time `json:"at"`
	}
	change.Proposal = p
	change.ID, change.Was, change.Reason, change.By, change.Session, change.Believed = "", "", "", "", "", 0
	b, _ := json.Marshal(change) // cannot fail: texts and numbers only
	sum := sha256.Sum256(b)
	p.ID = "pr_" + hex.EncodeToString(sum[:6])
	return p
}

// Text returns the proposed text, "" if the change keeps the text.
func (p Proposal) Text() string {
	switch {
	case p.Body != nil && *p.Body != "":
		return *p.Body
	case p.Title != nil:
		return *p.Title
	}
	return ""
}

// texts returns all texts of the proposal.
func (p Proposal) texts() []string {
	out := append([]string{p.Was, p.Reason}, p.Facts...)
	for _, s := range []*string{p.Title, p.Body, p.Invariant} {
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// Traces returns the proposal's lines in the form of [Traces].
func (p Proposal) Traces() (out []string) {
	for _, text := range p.texts() {
		out = append(out, chars.TraceLines(text)...)
	}
	return out
}
