package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// call writes a call of a tool and its result.
func (s *pastSession) call(prompt, name string, input, result map[string]any, failed string) {
	id := fmt.Sprintf("toolu_%s_%d", s.id, s.n)
	s.assistant("tool_use", map[string]any{"type": "tool_use", "id": id, "name": name, "input": input})
	block := map[string]any{"type": "tool_result", "tool_use_id": id, "content": "ok"}
	if failed != "" {
		block["content"], block["is_error"] = failed, true
		s.user(prompt, []any{block}, "Error: "+failed)
		return
	}
	s.user(prompt, []any{block}, result)
}

// task adds a task to the agent's list, or completes it.
func (s *pastSession) task(prompt, id, subject string) {
	if subject != "" {
		s.call(prompt, "TaskCreate", map[string]any{"subject": subject, "description": subject},
			map[string]any{"task": map[string]any{"id": id, "subject": subject}}, "")
		return
	}
	s.call(prompt, "TaskUpdate", map[string]any{"taskId": id, "status": "completed"},
		map[string]any{"success": true, "taskId": id}, "")
}

// work writes sessions of one project whose statements, tasks, failures and fixes are alike, so that consolidation
// merges, promotes and archives.
func (p *pastSessions) work(sessions int) {
	p.t.Helper()
	for i := range sessions {
		s := p.session(fmt.Sprintf("like-%d", i), 250+i)
		for n := range 3 {
			id := fmt.Sprintf("p-%d-%d", i, n)
			s.user(id, fmt.Sprintf("Please renew the token of shop %d. We decided to keep the lease at twelve minutes.", n), nil)
			s.task(id, fmt.Sprint(n+1), fmt.Sprintf("Renew the token of shop %d", n))
			s.call(id, "Bash", map[string]any{"command": "go test ./lease"}, nil,
				fmt.Sprintf("Exit code 1\nlease_test.go:%d: the lease has expired", 12+n))
			file := fmt.Sprintf("%s/lease%d.go", s.cwd, (i+n)%4)
			s.call(id, "Edit", map[string]any{"file_path": file, "old_string": "time.Now()", "new_string": "clock.Now()"},
				map[string]any{"filePath": file, "originalFile": "time.Now()"}, "")
			s.call(id, "Bash", map[string]any{"command": "go test ./lease"}, map[string]any{"stdout": "ok"}, "")
			s.task(id, fmt.Sprint(n+1), "")
			s.assistant("end_turn", map[string]any{"type": "text", "text": leaseAnswer})
		}
		p.saves(s)
	}
}

// does runs the jobs that are due, as another worker of the queue does beside a backfill.
func (p *pastSessions) does(ctx context.Context) {
	for {
		jobs, err := p.Store.Lease(ctx, mem.JobKinds{}, p.clock, time.Minute, 1)
		if err != nil || len(jobs) == 0 {
			return
		}
		b, err := p.Work(ctx, jobs[0])
		if err != nil {
			p.t.Error(err)
			return
		}
		b.FinishedJobs = append(b.FinishedJobs, jobs[0].ID)
		if _, err := p.Store.Apply(ctx, b); err != nil {
			p.t.Error(err)
		}
	}
}

// rows are all memories of a store, with what their ids stand for in place of these.
func (p *pastSessions) rows() []string {
	p.t.Helper()
	titles := map[string]string{}
	var out []string
	all, err := p.Store.List(p.t.Context(), mem.Query{Hidden: true, Within: "*", Limit: 10_000})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, m := range all {
		titles[m.ID] = m.Title + " of " + m.Session
	}
	for _, m := range all {
		m.ID, m.MergedInto, m.Supersedes = titles[m.ID], titles[m.MergedInto], titles[m.Supersedes]
		b, err := json.Marshal(m)
		if err != nil {
			p.t.Fatal(err)
		}
		out = append(out, string(b))
	}
	slices.Sort(out)
	return out
}

func TestABackfillGivesTheSameWhateverRunsBesideIt(t *testing.T) {
	alone, beside := newPastSessions(t), newPastSessions(t)
	beside.clock = alone.clock
	beside.Engine.Capture.GiveWay = func(ctx context.Context, _ bool) { beside.does(ctx) }
	beside.Engine.Capture.Store = plainStore{beside.Engine.Capture.Store} // so that others run before each event
	for _, p := range []*pastSessions{alone, beside} {
		p.work(12)
		p.reads(capture.BackfillRequest{})
		if p.stats().sessions != 12 {
			t.Fatalf("got %+v, want 12 sessions", p.stats())
		}
	}
	a, b := alone.rows(), beside.rows()
	merged := func(row string) bool { return strings.Contains(row, `"status":"consolidated"`) }
	if !slices.ContainsFunc(a, merged) {
		t.Error("nothing was merged")
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("memories differ:\n%s\n%s", a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d and %d memories", len(a), len(b))
	}
}

func TestATaskThatIsArchivedWhileItsSessionIsReadIsCompleted(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("one", 500)
	s.user("p1", "Please renew the token.", nil)
	s.task("p1", "1", "Renew the token")
	s.task("p1", "1", "")
	s.assistant("end_turn", map[string]any{"type": "text", "text": "The token is renewed."})
	p.saves(s)
	p.Engine.Capture.Store = plainStore{p.Engine.Capture.Store}
	archived := 0
	p.Engine.Capture.GiveWay = func(ctx context.Context, _ bool) { // as after the end of a live session of the project
		sess, err := p.Store.Session(ctx, "one")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Engine.Curate.ConsolidateJob(ctx, mem.Job{
			Kind: event.JobConsolidate, Key: sess.Project, Data: string(mem.FullRun),
		}); err != nil {
			t.Fatal(err)
		}
		left, err := p.Store.List(ctx, mem.Query{
			Kinds: []mem.Kind{mem.Todo}, Statuses: []mem.Status{mem.Archived}, Open: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		archived += len(left)
	}
	p.reads(capture.BackfillRequest{})
	if archived == 0 {
		t.Error("the item was not archived while it was open")
	}
	items, err := p.Store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Todo}, Hidden: true})
	if err != nil || len(items) != 1 || !items[0].Resolved {
		t.Errorf("got %+v, %v, want the one item completed", items, err)
	}
}
