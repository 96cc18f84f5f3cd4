package event

import "remanence/internal/mem"

// MayChange is the rule for every change of what a memory says, of whether it is
// shown and of how much it counts: its author needs at least the memory's trust.
// What such an author may not do becomes a proposal.
func (h Author) MayChange(m mem.Memory) bool { return h.Trust >= m.Trust }

// MayReport is the rule for progress: that a piece of work is done, where the work
// stands, that a memory was wrong. An agent in whose turn nothing came from outside
// may report that of the person's memories, too.
func (h Author) MayReport(m mem.Memory) bool { return h.Trust >= min(m.Trust, mem.TrustAssistant) }
