package event

import (
	"slices"
	"time"

	"remanence/internal/mem"
)

// JobLink is the kind of job that says how memories stand to each other and
// which names they hold.
const JobLink = "weave"

// WeaveNew is the key of the job that links what was just stored.
const WeaveNew = "new" // what was written since it was last looked at

const weaveAfter = 2 * time.Second

// Follow adds to a batch the jobs that its memories give rise to.
func (e *Service) Follow(b *mem.Batch) {
	e.toEmbed(b)
	e.toWeave(b)
}

// toWeave adds to a batch the job that weaves its memories in.
func (e *Service) toWeave(b *mem.Batch) {
	if slices.ContainsFunc(b.Memories, func(m mem.Memory) bool { return m.Kind.HasEntities() }) ||
		slices.ContainsFunc(b.Edits, func(ed mem.Edit) bool { return ed.Title != nil || ed.Body != nil || ed.Files != nil }) {
		b.Jobs = append(b.Jobs, mem.Job{Kind: JobLink, Key: WeaveNew, NotBefore: e.Now().Add(weaveAfter)})
	}
}
