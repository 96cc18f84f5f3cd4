package team

import (
	"maps"
	"slices"
	"sync"

	"remanence/internal/filesync"
	"remanence/internal/mem"
)

// mostWritten is how many ids of written memories are kept. Beyond it all memories are compared.
const mostWritten = 5_000

// written collects the ids of memories that were written since the last round.
type written struct {
	mu  sync.Mutex
	ids map[string]bool
	all bool
}

func (w *written) add(batches []mem.Batch, results []mem.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids == nil {
		w.ids = map[string]bool{}
	}
	for i, r := range results {
		b := batches[i]
		for k, id := range r.IDs {
			if k >= len(b.Memories) || b.Memories[k].Kind != mem.Utterance {
				w.ids[id] = true
			}
		}
		for _, m := range b.Memories {
			if m.Supersedes != "" {
				w.ids[m.Supersedes] = true
			}
		}
		for _, e := range b.Edits {
			w.ids[e.ID] = true
		}
	}
	if len(w.ids) > mostWritten {
		w.all = true
		clear(w.ids)
	}
}

func (w *written) addAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = true
}

// take returns what was collected, and forgets it.
func (w *written) take() filesync.TeamWritten {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := filesync.TeamWritten{IDs: slices.Sorted(maps.Keys(w.ids)), All: w.all}
	clear(w.ids)
	w.all = false
	return out
}
