package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// Bounds of SessionUses.
const (
	defaultUseSessions = 60
	maxUseSessions     = 300
	maxUseMemories     = 5000 // that the sessions learned
	maxUseSummaries    = 1000
)

// SessionUsesRequest asks which sessions used what others learned.
type SessionUsesRequest struct {
	mem.ProjectRef
	Limit  int `json:"limit,omitempty"` // newest sessions; 0 means 60, at most 300
	Offset int `json:"offset,omitempty"`
}

// SessionUsesResponse lists sessions and what each used of the others.
type SessionUsesResponse struct {
	Project  mem.Project  `json:"project"`
	Sessions []UseSession `json:"sessions"` // with a prompt, oldest first
	Uses     []SessionUse `json:"uses"`     // by the session that used, oldest first
	// Cut reports that there are more memories than were looked at: the oldest sessions may have learned more.
	Cut bool `json:"cut,omitempty"`
	// Next is the offset of the sessions before these; 0 if there are none. Sessions without a prompt count too.
	Next int `json:"next,omitempty"`
}

// UseSession is one session with what it learned.
type UseSession struct {
	ID          string    `json:"id"`
	Short       string    `json:"short"`
	Agent       string    `json:"agent,omitempty"`
	Project     string    `json:"project"`
	ProjectName string    `json:"project_name"`
	At          time.Time `json:"at"`
	Title       string    `json:"title"`   // its result, else its first request
	Learned     int       `json:"learned"` // memories, without edits, commands and summaries

	offset int // of this session
}

// SessionUse is one memory of a session that another session cited, fetched, acted on or rated as helpful. A
// memory names the turns of its newest eight uses.
type SessionUse struct {
	From   string   `json:"from"` // id of the session that learned it
	To     string   `json:"to"`   // id of the session that used it
	Memory string   `json:"memory"`
	Kind   mem.Kind `json:"kind"`
	Title  string   `json:"title"`
	// How and File are the evidence, as mem.Use has it.
	How  mem.UseKind `json:"how,omitempty"`
	File string      `json:"file,omitempty"`
}

// SessionUses returns the newest sessions of a project, or of all, and which of them used what others learned.
func (s *Service) SessionUses(ctx context.Context, req SessionUsesRequest) (SessionUsesResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return SessionUsesResponse{}, err
	}
	out := SessionUsesResponse{Project: p, Sessions: []UseSession{}, Uses: []SessionUse{}}
	n, offset := min(cmp.Or(max(req.Limit, 0), defaultUseSessions), maxUseSessions), max(req.Offset, 0)
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: n, Offset: offset})
	if err != nil {
		return out, fmt.Errorf("sessions: %w", err)
	}
	at := map[string]int{} // of a session in out.Sessions
	if len(ss) == n {
		out.Next = offset + n
	}
	for i, sess := range slices.Backward(ss) {
		if sess.Prompts == 0 {
			continue
		}
		at[sess.ID] = len(out.Sessions)
		out.Sessions = append(out.Sessions, UseSession{
			ID: sess.ID, Short: sess.Short, Agent: sess.Agent, Project: sess.Project, At: sess.Created, Title: sess.FirstPrompt,
			offset: offset + i,
		})
	}
	if len(out.Sessions) == 0 {
		return out, nil
	}
	since := out.Sessions[0].At
	if err := s.addLearned(ctx, p, since, at, &out); err != nil {
		return out, err
	}
	titles, err := s.results(ctx, mem.Query{Project: p.Key, After: since})
	if err != nil {
		return out, err
	}
	for i, sess := range out.Sessions {
		out.Sessions[i].Title = cmp.Or(titles[sess.ID], sess.Title)
	}
	return out, s.nameProjects(ctx, &out)
}

// addLearned counts what each session learned, and adds the uses of it in other sessions.
func (s *Service) addLearned(
	ctx context.Context, p mem.Project, since time.Time, at map[string]int, out *SessionUsesResponse,
) error {
	ms, err := s.Store.List(ctx, mem.Query{
		Project: p.Key, Within: "*", Kinds: append(event.Knowledge(), mem.Todo), After: since, Limit: maxUseMemories,
	})
	if err != nil {
		return fmt.Errorf("memories: %w", err)
	}
	out.Cut = len(ms) == maxUseMemories
	for _, m := range slices.Backward(ms) { // oldest first
		from, known := at[m.Session]
		if !known {
			continue
		}
		out.Sessions[from].Learned++
		seen := map[string]bool{m.Session: true}
		for _, use := range m.UsedIn {
			to := use.Session()
			if _, known := at[to]; known && !seen[to] {
				seen[to] = true
				out.Uses = append(out.Uses, SessionUse{
					From: m.Session, To: to, Memory: m.ID, Kind: m.Kind, Title: m.Title, How: use.How, File: use.File,
				})
			}
		}
	}
	slices.SortStableFunc(out.Uses, func(a, b SessionUse) int { return cmp.Compare(at[a.To], at[b.To]) })
	return nil
}

// results returns the titles of sessions by their summaries: that of the whole session, else of the last turn.
func (s *Service) results(ctx context.Context, q mem.Query) (map[string]string, error) {
	q.Within, q.Kinds, q.Limit = "*", []mem.Kind{mem.Summary}, maxUseSummaries
	sums, err := s.Store.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("summaries: %w", err)
	}
	out, whole := map[string]string{}, map[string]bool{}
	for _, sum := range slices.Backward(sums) {
		ofSession := strings.HasPrefix(sum.Key, extract.SessionKey)
		if !whole[sum.Session] || ofSession {
			out[sum.Session], whole[sum.Session] = sum.Title, ofSession
		}
	}
	return out, nil
}

// nameProjects names the projects of the sessions.
func (s *Service) nameProjects(ctx context.Context, out *SessionUsesResponse) error {
	names := map[string]string{out.Project.Key: out.Project.Name}
	if out.Project.Key == "" {
		ps, err := s.Store.Projects(ctx, "")
		if err != nil {
			return fmt.Errorf("projects: %w", err)
		}
		for _, p := range ps {
			names[p.Key] = p.Name
		}
	}
	for i, sess := range out.Sessions {
		out.Sessions[i].ProjectName = names[sess.Project]
	}
	return nil
}
