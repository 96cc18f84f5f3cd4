package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// How often an agent may write: in a burst, and again after each gap.
const (
	burst = 20
	gap   = 3 * time.Second
)

// pace counts writes. The zero value has a full burst.
type pace struct {
	now  func() time.Time
	mu   sync.Mutex
	used int
	at   time.Time // when used was counted
}

// take counts a write, or says how long to wait with it.
func (p *pace) take() (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if back := int(now.Sub(p.at) / gap); back > 0 {
		p.used = max(0, p.used-back)
		p.at = p.at.Add(time.Duration(back) * gap)
	}
	if p.used == 0 {
		p.at = now
	}
	if p.used >= burst {
		return gap - now.Sub(p.at), false
	}
	p.used++
	return 0, true
}

// writer is who changes something, and in which project.
type writer struct {
	mem.Project
	agent string // as in mem.AddAsk
}

// writing is asked before anything is changed: whether the memory may be written
// to now, and by whom. The session is asked for each time: it may have been cleared.
func (s *Server) writing(ctx context.Context) (writer, error) {
	if wait, ok := s.pace.take(); !ok {
		p := Problem{Code: codeOften, Degraded: true, What: "too many changes in a short time"}
		return writer{}, p.because("%d at once, then one every %s", burst, gap).
			fixedBy(fmt.Sprintf("try again in %d s; join what belongs together", int(wait.Seconds())+1))
	}
	o, err := s.Memory.Status(ctx, s.Place)
	if err != nil {
		return writer{}, err
	}
	w := writer{o.Project, event.UnknownAgent}
	if s.Session != "" {
		now, err := s.Memory.Successor(ctx, continuity.SessionRequest{ID: s.Session})
		if err != nil {
			return writer{}, err
		}
		w.agent = cmp.Or(now.ID, event.UnknownAgent)
	}
	for _, p := range o.Pauses {
		if !p.InjectOnly && (p.Target == "all" || p.Target == o.Project.Key || p.Target == s.Session || p.Target == w.agent) {
			return w, Problem{
				Code: codePaused, Degraded: true, What: "Remanence is paused, so nothing is kept",
				Why: "the user switched it off", Fix: []string{"only the user resumes it: remanence resume, or /remanence:on"},
			}
		}
	}
	return w, nil
}

// own finds the memory that is to be changed.
func (s *Server) own(ctx context.Context, id string) (mem.Memory, writer, error) {
	if strings.TrimSpace(id) == "" {
		return mem.Memory{}, writer{}, bad("id is missing").fixedBy("search gives ids")
	}
	w, err := s.writing(ctx)
	if err != nil {
		return mem.Memory{}, w, err
	}
	m, err := s.of(ctx, w, id)
	return m, w, err
}

// of finds a memory of the project or of the user: others are not an agent's to
// change.
func (s *Server) of(ctx context.Context, w writer, id string) (mem.Memory, error) {
	got, err := s.Memory.Show(ctx, event.IDs{ProjectRef: s.Place, IDs: []string{id}})
	if err != nil {
		return mem.Memory{}, err
	}
	m := got.Memories[0]
	if m.Project != "" && m.Project != w.Key && m.Scope != mem.ScopeUser {
		return m, Problem{
			Code: codeForeign, What: m.ID + " belongs to another project",
			Why: "an agent changes memories of the project that it works in", Fix: []string{"the user can: remanence forget " +
				m.ID},
		}
	}
	return m, nil
}
