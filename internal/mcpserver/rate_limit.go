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

// rateLimit counts writes. The zero value has a full burst.
type rateLimit struct {
	now  func() time.Time
	mu   sync.Mutex
	used int
	at   time.Time // when used was counted
}

// take counts a write, or returns how long to wait before it.
func (p *rateLimit) take() (wait time.Duration, ok bool) {
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

// writer is the author of a change, and its project.
type writer struct {
	mem.Project
	agent string // as in mem.AddAsk
}

// writing returns who writes and where, or a Problem if nothing may be changed now. It looks up the session
// each time, because it may have been cleared.
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
		now, err := s.Memory.Successor(ctx, continuity.SessionRequest{ID: s.Session, Client: s.Client, Root: s.Root})
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

// memoryToChange returns the memory that a call changes, and the author.
func (s *Server) memoryToChange(ctx context.Context, id string) (mem.Memory, writer, error) {
	if strings.TrimSpace(id) == "" {
		return mem.Memory{}, writer{}, bad("id is missing").fixedBy("search gives ids")
	}
	w, err := s.writing(ctx)
	if err != nil {
		return mem.Memory{}, w, err
	}
	m, err := s.writable(ctx, w, id)
	return m, w, err
}

// writable returns a memory of the project or of the user. An agent may not change others.
func (s *Server) writable(ctx context.Context, w writer, id string) (mem.Memory, error) {
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
