package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
)

// look is how memory stands after so many sessions.
type look struct {
	sessions, learned        int
	bytes                    int64
	active, archived, merged int     // memories
	stale                    float64 // share of what is active and says how things are
	twice                    int     // of it, pairs that say the same
	// Shares of what was learned within 90 days, and before, that is injected when asked for.
	fresh, old float64
	// share of the prompts that came back to what an earlier session learned, and got it
	needed float64
}

const (
	asked = 60 // of each age
	month = 30 * 24 * time.Hour
)

func (w *world) look(ctx context.Context, sessions int) (look, error) {
	l := look{sessions: sessions, learned: len(w.learned)}
	if err := w.letGo(ctx); err != nil {
		return l, err
	}
	st, err := w.store.Stats(ctx, "", w.clock)
	if err != nil {
		return l, err
	}
	l.bytes = st.Bytes
	var lasting []mem.Memory
	for offset := 0; ; offset += 500 {
		ms, err := w.store.List(ctx, mem.Query{Hidden: true, Within: "*", Limit: 500, Offset: offset})
		if err != nil {
			return l, err
		}
		for _, m := range ms {
			switch m.Status {
			case mem.Active:
				l.active++
			case mem.Archived:
				l.archived++
			case mem.Consolidated, mem.Promoted:
				l.merged++
			}
			if m.Status == mem.Active && m.Scope == mem.ScopeProject && m.Kind != mem.Summary && m.Kind != mem.Change &&
				m.Kind != mem.Command {
				lasting = append(lasting, m)
			}
		}
		if len(ms) < 500 {
			break
		}
	}
	for _, m := range lasting {
		if rank.Stale(m, w.clock) {
			l.stale++
		}
	}
	l.stale /= max(1, float64(len(lasting)))
	for _, p := range rank.Pairs(lasting, 0.8) {
		if lasting[p.A].Kind == lasting[p.B].Kind {
			l.twice++
		}
	}
	return l, w.examine(ctx, &l)
}

// examine asks for what was learned, some of each age.
func (w *world) examine(ctx context.Context, l *look) error {
	var fresh, old []topic
	for _, t := range w.learned {
		if w.clock.Sub(w.at[t]) <= 3*month {
			fresh = append(fresh, t)
		} else {
			old = append(old, t)
		}
	}
	var err error
	r := rand.New(rand.NewPCG(7, uint64(l.sessions)))
	if l.fresh, err = w.injected(ctx, r, fresh); err != nil {
		return err
	}
	if l.old, err = w.injected(ctx, r, old); err != nil {
		return err
	}
	l.needed = float64(w.met) / max(1, float64(w.needed))
	w.met, w.needed = 0, 0
	return nil
}

// injected returns the share of some topics that is injected with a prompt that asks for them.
func (w *world) injected(ctx context.Context, r *rand.Rand, all []topic) (float64, error) {
	if len(all) == 0 {
		return 0, nil
	}
	hits, n := 0, min(asked, len(all))
	for _, i := range r.Perm(len(all))[:n] {
		t := all[i]
		rc, err := w.engine.Next(ctx, views.NextRequest{ProjectRef: mem.ProjectRef{Dir: shop.Root}, Prompt: t.question()})
		if err != nil {
			return 0, err
		}
		if strings.Contains(rc.Text, t.said()) {
			hits++
		}
	}
	return float64(hits) / float64(n), nil
}

// table prints both years as a table of Markdown.
func table(out io.Writer, with, without []look) {
	fmt.Fprintln(out, "| sessions | learned | MB | active | archived | merged | stale | twice | needed again, injected | "+
		"exam ≤ 90 d | exam, older | without: MB | active | stale | twice | needed again, injected | "+
		"exam ≤ 90 d | exam, older |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for i, l := range with {
		o := without[i]
		fmt.Fprintf(out, "| %d | %d | %.1f | %d | %d | %d | %.0f %% | %d | %.0f %% | %.0f %% | %.0f %% | %.1f | %d | %.0f "+
			"%% | %d | %.0f %% | %.0f %% | %.0f %% |\n",
			l.sessions, l.learned, mb(l.bytes), l.active, l.archived, l.merged, 100*l.stale, l.twice, 100*l.needed, 100*l.fresh,
			100*l.old,
			mb(o.bytes), o.active, 100*o.stale, o.twice, 100*o.needed, 100*o.fresh, 100*o.old)
	}
}

func mb(n int64) float64 { return float64(n) / (1 << 20) }
