package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/capture"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// pastSessions is a folder of transcripts from before Remanence, and the daemon that reads them in.
type pastSessions struct {
	*talker
	folder string
}

func newPastSessions(t testing.TB) *pastSessions {
	t.Helper()
	k := newTalker(t)
	return &pastSessions{k, filepath.Join(k.dir, "projects")}
}

// pastSession writes the transcript of one session, a line at a time.
type pastSession struct {
	id, cwd string
	at      time.Time
	lines   []map[string]any
	old     bool // of a client that does not number prompts
	n       int
}

func (s *pastSession) line(l map[string]any) {
	s.at = s.at.Add(10 * time.Second)
	s.n++
	l["sessionId"], l["cwd"], l["uuid"] = s.id, s.cwd, fmt.Sprintf("%s-u%d", s.id, s.n)
	l["timestamp"] = s.at.Format(time.RFC3339Nano)
	s.lines = append(s.lines, l)
}

func (s *pastSession) user(prompt string, content, result any) {
	l := map[string]any{"type": "user", "message": map[string]any{"content": content}}
	if !s.old {
		l["promptId"] = prompt
	}
	if result != nil {
		l["toolUseResult"] = result
	}
	s.line(l)
}

func (s *pastSession) assistant(stop string, block map[string]any) {
	s.line(map[string]any{"type": "assistant", "message": map[string]any{
		"id": fmt.Sprintf("msg-%s-%d", s.id, s.n), "stop_reason": stop, "content": []any{block},
	}})
}

// turn is a prompt, a command and an answer.
func (s *pastSession) turn(id, prompt, command, answer string) {
	s.user(id, prompt, nil)
	tool := "toolu_" + id
	s.assistant("tool_use", map[string]any{
		"type": "tool_use", "id": tool, "name": "Bash", "input": map[string]any{"command": command},
	})
	s.user(id, []any{map[string]any{"type": "tool_result", "tool_use_id": tool, "content": "ok"}},
		map[string]any{"stdout": "ok"})
	s.assistant("end_turn", map[string]any{"type": "text", "text": answer})
}

// writes puts a transcript into the folder.
func (p *pastSessions) saves(s *pastSession) {
	p.t.Helper()
	var b bytes.Buffer
	for _, l := range s.lines {
		line, err := json.Marshal(l)
		if err != nil {
			p.t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	lay(p.t, filepath.Join(p.folder, strings.ReplaceAll(s.cwd, "/", "-"), s.id+".jsonl"), b.String())
}

func (p *pastSessions) session(id string, days int) *pastSession {
	return &pastSession{id: id, cwd: "/nowhere/any-more/shop", at: p.clock.AddDate(0, 0, -days)}
}

// asks orders a backfill.
func (p *pastSessions) asks(req capture.BackfillRequest) event.Backfill {
	p.t.Helper()
	req.Folder = p.folder
	got, err := p.Engine.Backfill(p.t.Context(), req)
	if err != nil {
		p.t.Fatal(err)
	}
	return got
}

// reads orders a backfill and does the work.
func (p *pastSessions) reads(req capture.BackfillRequest) {
	p.t.Helper()
	p.asks(req)
	if err := p.works(p.t.Context(), time.Minute); err != nil {
		p.t.Fatal(err)
	}
}

// events are the stored events of a session, without its start and end.
func (p *pastSessions) events(session string) []string {
	p.t.Helper()
	list, err := p.Store.EventHeaders(p.t.Context(), session)
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, h := range list {
		if h.Kind != mem.SessionStart && h.Kind != mem.SessionEnd {
			out = append(out, markOf(h.Kind, h.PromptID, h.ToolUseID))
		}
	}
	return out
}

func (p *pastSessions) found(words ...string) []mem.Hit {
	p.t.Helper()
	hits, err := p.Store.Match(p.t.Context(), mem.Query{Terms: words, Limit: 10})
	if err != nil {
		p.t.Fatal(err)
	}
	return hits
}

const (
	leaseDecision = "We decided to keep the lease of a worker at twelve minutes because a digest takes ten."
	leaseAnswer   = "The cause of the expired lease was a clock that jumped; fixed by reading the monotonic clock."
)

func turnsOf(id string) []string {
	return []string{
		"UserPromptSubmit " + id + " ", "PostToolUse " + id + " toolu_" + id, "Stop " + id + " ",
	}
}

func TestPastSessionsAreReadInAtTheirTimes(t *testing.T) {
	p := newPastSessions(t)
	for i, id := range []string{"older", "newer"} {
		s := p.session(id, 230-10*i) // longer ago than events are kept: memories stay
		s.turn("p-"+id, leaseDecision+" This is the "+id+" one.", "go test ./lease", leaseAnswer+" In the "+id+" one.")
		p.saves(s)
	}
	if got := p.asks(capture.BackfillRequest{DryRun: true}); got.Sessions != 2 || got.Projects != 1 || got.Known != 0 ||
		!got.From.Equal(p.clock.AddDate(0, 0, -230).Add(10*time.Second)) {
		t.Errorf("the dry run counts %+v, want two sessions of one project since 230 days ago", got)
	}
	if all, err := p.Store.Sessions(t.Context(), mem.SessionQuery{}); err != nil || len(all) != 0 {
		t.Fatalf("%d sessions after a dry run, %v", len(all), err)
	}
	p.reads(capture.BackfillRequest{})
	for i, id := range []string{"older", "newer"} {
		sess, err := p.Store.Session(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		began := p.clock.Add(-time.Minute).AddDate(0, 0, -230+10*i).Add(10 * time.Second)
		if !sess.Created.Equal(began) || !sess.LastEvent.Equal(began.Add(30*time.Second)) ||
			sess.Status != mem.Completed || sess.Root != "/nowhere/any-more/shop" || sess.ProjectName != "shop" ||
			sess.Prompts != 1 || sess.Number != int64(2-i) {
			t.Errorf("session %s is %+v", id, sess)
		}
		if got := p.events(id); !slices.Equal(got, turnsOf("p-"+id)) {
			t.Errorf("events of %s: %q", id, got)
		}
	}
	hits := p.found("monotonic")
	if len(hits) == 0 || p.clock.Sub(hits[0].Created) < 200*24*time.Hour {
		t.Errorf("found %d, want what was learned at its real time", len(hits))
	}
}

func TestReadingPastSessionsTwiceChangesNothing(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("one", 20)
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	p.saves(s)
	p.reads(capture.BackfillRequest{})
	before := p.stats()
	p.reads(capture.BackfillRequest{})
	if after := p.stats(); after != before {
		t.Errorf("got %+v, want %+v", after, before)
	}
}

// counted is what a store holds.
type counted struct{ memories, sessions, events, turns int }

func (p *pastSessions) stats() counted {
	p.t.Helper()
	s, err := p.Store.Stats(p.t.Context(), "", time.Time{})
	if err != nil {
		p.t.Fatal(err)
	}
	return counted{s.Memories, s.Sessions, s.Events, s.Turns}
}

// plainStore is a store without transactions: each event is written alone.
type plainStore struct{ mem.Store }

func TestABackfillThatIsCutOffIsContinued(t *testing.T) {
	whole, cut := newPastSessions(t), newPastSessions(t)
	cut.Engine.Capture.Store = plainStore{cut.Engine.Capture.Store}
	for _, p := range []*pastSessions{whole, cut} {
		for i := range 4 {
			s := p.session(fmt.Sprint("s", i), 40-i)
			for n := range 5 {
				s.turn(fmt.Sprintf("p%d-%d", i, n), fmt.Sprintf("We decided to use queue %d for part %d of the shop.", i, n),
					"make part", fmt.Sprintf("The cause of failure %d in part %d was a stale token; fixed by renewing it.", i, n))
			}
			p.saves(s)
		}
	}
	whole.reads(capture.BackfillRequest{})
	cut.asks(capture.BackfillRequest{})
	after := 1
	for ; ; after += 3 { // each time after more events than the last
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		cut.Engine.Capture.GiveWay = func(context.Context, bool) {
			if n++; n == after {
				stop()
			}
		}
		jobs, err := cut.Store.Jobs(ctx, event.JobBackfill, 1)
		if err != nil || len(jobs) != 1 {
			t.Fatalf("%d jobs, %v", len(jobs), err)
		}
		_, err = cut.Engine.Work(ctx, jobs[0])
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stop()
	}
	if after < 7 {
		t.Errorf("it was cut off %d times only", after)
	}
	cut.Engine.Capture.GiveWay = nil
	if err := cut.works(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		id := fmt.Sprint("s", i)
		if got, want := cut.events(id), whole.events(id); !slices.Equal(got, want) {
			t.Errorf("events of %s: %q, want %q", id, got, want)
		}
	}
	if got, want := cut.stats(), whole.stats(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestEventsThatWereNotCommittedAreReadAgain(t *testing.T) {
	whole, failed := newPastSessions(t), newPastSessions(t)
	for _, p := range []*pastSessions{whole, failed} {
		s := p.session("one", 40)
		for n := range 6 {
			s.turn(fmt.Sprint("p", n), fmt.Sprintf("We decided to use queue %d for the shop.", n), "make part", leaseAnswer)
		}
		p.saves(s)
	}
	whole.reads(capture.BackfillRequest{})
	handle, n := failed.Engine.Capture.HandleEvent, 0
	failed.Engine.Capture.HandleEvent = func(ctx context.Context, ev mem.Event, replay bool) (mem.Reply, capture.Outcome,
		error,
	) {
		reply, did, err := handle(ctx, ev, replay)
		if n++; n == 8 { // in the third turn
			if _, err := failed.Store.Apply(ctx, mem.Batch{Event: &mem.Event{}}); err == nil {
				t.Error("an event without an id was written")
			}
		}
		return reply, did, err
	}
	failed.reads(capture.BackfillRequest{})
	if got := failed.status(); got.NotRead != 1 {
		t.Errorf("got %+v, want the session not read", got)
	}
	failed.reads(capture.BackfillRequest{})
	if got, want := failed.events("one"), whole.events("one"); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	if got, want := failed.stats(), whole.stats(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNothingPrivateOfThePastReachesTheDisk(t *testing.T) {
	p := newPastSessions(t)
	secret := "AKIA" + "Q3RZ7XKWJ5PLM2NB"
	s := p.session("one", 20)
	s.turn("p1", "<private>the hidden harbour</private>", "echo hiddenharbour", "It is about the hidden harbour.")
	s.turn("p2", "Use the key "+secret+" of <private>quiet lagoon</private> for the upload.", "upload --key "+secret,
		"Uploaded with "+secret+".")
	p.saves(s)
	p.reads(capture.BackfillRequest{})
	if got := p.events("one"); !slices.Equal(got, turnsOf("p2")) {
		t.Errorf("events %q, want those of the turn that is not private", got)
	}
	if err := p.Store.Close(); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(p.paths.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, word := range []string{secret, "hidden harbour", "hiddenharbour", "quiet lagoon"} {
			if bytes.Contains(b, []byte(word)) {
				t.Errorf("%s contains %q", path, word)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// live delivers events of a session that hooks report.
func (p *pastSessions) live(session, cwd string, events ...mem.Event) {
	p.t.Helper()
	for i, e := range events {
		e.Agent, e.Session, e.Root, e.Cwd = "claude-code", session, cwd, cwd
		e.Identify(fmt.Sprint("live", i))
		if _, err := p.Engine.Handle(p.t.Context(), e); err != nil {
			p.t.Fatal(err)
		}
	}
}

func TestASessionThatWasCapturedLiveIsLeftAlone(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("live", 0)
	s.at = p.clock.Add(-3 * time.Hour)
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	begun := s.at.Add(9 * time.Second) // installed between the two turns
	s.turn("p2", "Now the second part of the lease, please.", "go test ./second", "The second part is done as well.")
	p.saves(s)
	p.live("live", s.cwd,
		mem.Event{Kind: mem.SessionStart, Source: "resume", At: begun},
		mem.Event{
			Kind: mem.UserPromptSubmit, PromptID: "p2", Text: "Now the second part of the lease, please.",
			At: begun.Add(time.Second),
		})
	if got := p.asks(capture.BackfillRequest{DryRun: true}); got.Known != 1 {
		t.Errorf("%d sessions are known, want 1", got.Known)
	}
	before := p.stats()
	p.reads(capture.BackfillRequest{})
	if got := p.status(); got.Done != 1 || got.LeftOut != 1 {
		t.Errorf("got %+v, want the session left out", got)
	}
	if after := p.stats(); after != before {
		t.Errorf("got %+v, want %+v", after, before)
	}
}

// status is how far the backfill is.
func (p *pastSessions) status() event.Backfill {
	p.t.Helper()
	got, err := p.Engine.Capture.BackfillStatus(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return got
}

func TestASessionThatMayBeOpenIsLeftOut(t *testing.T) {
	p := newPastSessions(t)
	for id, ago := range map[string]time.Duration{"open": 5 * time.Minute, "over": 20 * time.Minute} {
		s := p.session(id, 0)
		s.at = p.clock.Add(-ago)
		s.turn("p-"+id, leaseDecision, "go test ./lease", leaseAnswer)
		p.saves(s)
	}
	p.reads(capture.BackfillRequest{})
	if got := p.status(); got.Done != 2 || got.LeftOut != 1 || len(p.events("open")) != 0 || len(p.events("over")) != 3 {
		t.Errorf("got %+v with events %q and %q, want the open one left out", got, p.events("open"), p.events("over"))
	}
}

func TestAStoppedBackfillReadsNoFurtherEvent(t *testing.T) {
	for _, undo := range []bool{false, true} {
		p := newPastSessions(t)
		for i := range 3 {
			s := p.session(fmt.Sprint("s", i), 40-i)
			s.turn(fmt.Sprint("p", i), leaseDecision, "go test ./lease", leaseAnswer)
			p.saves(s)
		}
		p.asks(capture.BackfillRequest{})
		p.Engine.Capture.Store = plainStore{p.Engine.Capture.Store}
		stopped := make(chan error, 1)
		n, ended := 0, false
		p.Engine.Capture.GiveWay = func(ctx context.Context, _ bool) {
			if n++; n != 2 {
				return
			}
			go func() {
				_, err := p.Engine.Backfill(ctx, capture.BackfillRequest{Folder: p.folder, Stop: !undo, Undo: undo})
				stopped <- err
			}()
			for p.status().Sessions > 0 { // until it was stopped
				runtime.Gosched()
			}
			ended = len(stopped) > 0
		}
		if err := p.works(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		if ended {
			t.Fatal("it was over while a session was being read")
		}
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
		var events []string
		for i := range 3 {
			events = append(events, p.events(fmt.Sprint("s", i))...)
		}
		if want := []string{"UserPromptSubmit p2 "}; !slices.Equal(events, want) {
			t.Errorf("undo %v: events %q, want %q", undo, events, want)
		}
		if got := len(p.found("lease")); undo && got != 0 {
			t.Errorf("%d memories are found after undoing, want none", got)
		}
		if jobs, err := p.Store.Jobs(t.Context(), event.JobBackfill, 9); err != nil || len(jobs) != 0 {
			t.Errorf("%d jobs wait, %v, want none", len(jobs), err)
		}
	}
}

func TestUndoingABackfillHidesWhatItMadeAndNothingElse(t *testing.T) {
	p := newPastSessions(t)
	at := p.clock.AddDate(0, 0, -40)
	s := p.session("past", 20)
	p.live("earlier", s.cwd,
		mem.Event{Kind: mem.SessionStart, Source: "startup", At: at},
		mem.Event{Kind: mem.UserPromptSubmit, PromptID: "e1", Text: "Go on with the lease, please.", At: at.Add(time.Second)},
		mem.Event{
			Kind: mem.PostToolUse, PromptID: "e1", Tool: "Bash", ToolUseID: "e1", At: at.Add(2 * time.Second),
			Input: []byte(`{"command":"go test ./lease"}`), Response: []byte(`{"stdout":"ok"}`),
		},
		mem.Event{Kind: mem.Stop, PromptID: "e1", Text: leaseAnswer, At: at.Add(3 * time.Second)})
	list := func() (out []string) {
		all, err := p.Store.List(t.Context(), mem.Query{Within: "*", Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, mm := range all {
			out = append(out, mm.ID)
		}
		slices.Sort(out)
		return out
	}
	before := list()
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	s.turn("p2", "We decided to name the harbour pilot of the shop Wanda.", "go test ./pilot", "Noted.")
	p.saves(s)
	p.reads(capture.BackfillRequest{})
	p.live("past", s.cwd, // it goes on later
		mem.Event{Kind: mem.SessionStart, Source: "resume", At: p.clock},
		mem.Event{
			Kind: mem.UserPromptSubmit, PromptID: "p9", At: p.clock.Add(time.Second),
			Text: "We decided to use Kafka for the events of the harbour.",
		},
		mem.Event{Kind: mem.Stop, PromptID: "p9", Text: "Noted.", At: p.clock.Add(2 * time.Second)})
	kafka := len(p.found("kafka"))
	if len(p.found("wanda")) == 0 || kafka == 0 {
		t.Fatal("nothing was learned")
	}
	if got := p.asks(capture.BackfillRequest{Undo: true}); got.Hidden == 0 {
		t.Error("nothing was hidden")
	}
	if got := p.found("wanda"); len(got) != 0 {
		t.Errorf("still found: %+v", got)
	}
	said, err := p.Store.Match(t.Context(), mem.Query{
		Terms: []string{"wanda"}, Kinds: []mem.Kind{mem.Utterance}, Limit: 9,
	})
	if err != nil || len(said) != 0 {
		t.Errorf("%d things said are still found, %v", len(said), err)
	}
	if got := len(p.found("kafka")); got != kafka {
		t.Errorf("%d memories of the live turn are left, want %d", got, kafka)
	}
	after := list()
	for _, id := range before {
		if !slices.Contains(after, id) {
			t.Errorf("%s is hidden, which an earlier session had made", id)
		}
	}
}

func TestUndoingABackfillBringsBackWhatItSuperseded(t *testing.T) {
	p := newPastSessions(t)
	n := p.session("past", 5)
	at := n.at.AddDate(0, 0, -20)
	p.live("live", n.cwd,
		mem.Event{Kind: mem.SessionStart, Source: "startup", At: at},
		mem.Event{
			Kind: mem.UserPromptSubmit, PromptID: "p1", At: at.Add(time.Second),
			Text: "We decided that the job queue uses SQLite, since one worker reads it.",
		},
		mem.Event{Kind: mem.Stop, PromptID: "p1", Text: "Understood, the queue will use that.", At: at.Add(2 * time.Second)})
	decisions := func() []mem.Memory {
		all, err := p.Store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Decision}, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := decisions()
	n.turn("p2", "We switch the job queue from SQLite to Postgres, because two workers have to share it.", "ls",
		"Understood, I'll take care of that.")
	n.turn("p3", "We switch the job queue from Postgres to Redis, because two workers have to share it.", "ls",
		"Understood, I'll take care of that.")
	p.saves(n)
	p.reads(capture.BackfillRequest{})
	if got := decisions(); len(before) != 1 || slices.ContainsFunc(got, func(m mem.Memory) bool {
		return m.ID == before[0].ID
	}) {
		t.Fatalf("of %+v nothing was superseded: %+v", before, got)
	}
	p.asks(capture.BackfillRequest{Undo: true})
	if got := decisions(); len(got) != 1 || got[0].ID != before[0].ID {
		t.Errorf("got %+v, want the live decision", got)
	}
}

func TestAnAgentMayNotUndoABackfill(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("past", 20)
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	p.saves(s)
	p.reads(capture.BackfillRequest{})
	_, err := p.Engine.Backfill(t.Context(), capture.BackfillRequest{Folder: p.folder, Undo: true, Agent: "one"})
	if !errors.Is(err, curate.ErrNotPerson) || len(p.found("monotonic")) == 0 {
		t.Errorf("got %v and %d memories, want a refusal", err, len(p.found("monotonic")))
	}
}

func TestPurgedTextDoesNotComeBackThroughAFork(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("trunk", 20)
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	p.saves(s)
	p.reads(capture.BackfillRequest{})
	if _, err := p.Engine.Purge(t.Context(), event.IDs{IDs: []string{"trunk"}}); err != nil {
		t.Fatal(err)
	}
	fork := s.fork("fork")
	fork.turn("p3", "Go on with the fork of the shop.", "make fork", "The fork is done now.")
	p.saves(fork)
	p.reads(capture.BackfillRequest{Since: s.at.Add(time.Minute)}) // the trunk itself is not asked for
	if got := p.found("monotonic"); len(got) != 0 || slices.Contains(p.events("fork"), turnsOf("p1")[0]) {
		t.Errorf("found %+v and events %q, want nothing of the trunk", got, p.events("fork"))
	}
}

func TestAFailedSessionIsCountedOnceAlsoBeyondThoseDescribed(t *testing.T) {
	p := newPastSessions(t)
	const sessions = event.MaxBackfillFailures + 3
	for i := range sessions {
		s := p.session(fmt.Sprintf("s%02d", i), 40)
		s.at = s.at.Add(time.Duration(i) * time.Hour)
		s.turn(fmt.Sprint("p", i), leaseDecision, "go test ./lease", leaseAnswer)
		p.saves(s)
	}
	p.asks(capture.BackfillRequest{})
	read := p.Engine.Capture.ReadPastEvents
	p.Engine.Capture.ReadPastEvents = func(_ context.Context, _ mem.Session, since mem.TranscriptPosition, _ time.Time,
		_ func(mem.Event) error,
	) (mem.TranscriptPosition, error) {
		return since, errors.New("the transcript cannot be read")
	}
	if err := p.works(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	p.Engine.Capture.ReadPastEvents = read
	if got := p.status(); got.Done != sessions || got.NotRead != sessions || got.LeftOut != 0 ||
		len(got.Failed) != event.MaxBackfillFailures {
		t.Errorf("got %+v, want %d sessions that could not be read", got, sessions)
	}
}

func TestABackfillThatWasGivenUpIsNotShownAfterALaterOne(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("past", 20)
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	p.saves(s)
	p.asks(capture.BackfillRequest{})
	jobs, err := p.Store.Jobs(t.Context(), event.JobBackfill, 9)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	jobs[0].Dead, jobs[0].Error = true, "disk read error"
	if _, err := p.Store.Apply(t.Context(), mem.Batch{FailedJobs: jobs}); err != nil {
		t.Fatal(err)
	}
	if got := p.status(); got.GivenUp == "" {
		t.Fatalf("got %+v, want one that was given up", got)
	}
	p.reads(capture.BackfillRequest{})
	if err := p.works(t.Context(), time.Minute); err != nil { // the result is kept for a while
		t.Fatal(err)
	}
	if got := p.status(); got.GivenUp != "" || len(p.found("monotonic")) == 0 {
		t.Errorf("got %+v, want nothing of the earlier one", got)
	}
}

// fork is a session that begins with what this one has so far.
func (s *pastSession) fork(id string) *pastSession {
	out := &pastSession{id: id, cwd: s.cwd, at: s.at.Add(time.Hour), n: s.n}
	for _, l := range s.lines {
		c := maps.Clone(l)
		c["sessionId"] = id
		out.lines = append(out.lines, c)
	}
	return out
}

func TestTurnsOfAForkAreReadInOnce(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("trunk", 20)
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	fork := s.fork("fork")
	s.turn("p2", "Go on with the trunk of the shop.", "make trunk", "The trunk is done now.")
	fork.turn("p3", "Go on with the fork of the shop.", "make fork", "The fork is done now.")
	p.saves(s)
	p.saves(fork)
	p.reads(capture.BackfillRequest{})
	got := slices.Concat(p.events("trunk"), p.events("fork"))
	slices.Sort(got)
	want := slices.Concat(turnsOf("p1"), turnsOf("p2"), turnsOf("p3"))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestTranscriptsOfClientsThatNumberNoPromptsAreReadIn(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("old", 60)
	s.old = true
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	p.saves(s)
	p.reads(capture.BackfillRequest{})
	if got, want := p.events("old"), []string{
		"UserPromptSubmit old-u1 ", "PostToolUse old-u1 toolu_p1", "Stop old-u1 ",
	}; !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	said, err := p.Store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Utterance}, Session: "old", Limit: 9})
	if err != nil || len(said) != 2 {
		t.Errorf("%d things said are indexed, %v, want 2", len(said), err)
	}
}

func TestAnOlderSessionChangesNothingOfALaterOne(t *testing.T) {
	p := newPastSessions(t)
	todo := func(s *pastSession, id, status string) {
		tool := "toolu_" + id
		s.user(id, "Keep a list of the work on the shop, please.", nil)
		s.assistant("tool_use", map[string]any{"type": "tool_use", "id": tool, "name": "TodoWrite", "input": map[string]any{
			"todos": []any{map[string]any{"content": "Renew the token of the shop", "status": status}},
		}})
		s.user(id, []any{map[string]any{"type": "tool_result", "tool_use_id": tool, "content": "ok"}}, map[string]any{})
	}
	later := p.session("later", 5)
	todo(later, "p1", "pending")
	p.saves(later)
	older := p.session("older", 30)
	todo(older, "p2", "completed")
	older.turn("p3", "And what is open?", "ls", "TODO: Replace the queue of the shop.")
	p.saves(older)
	p.reads(capture.BackfillRequest{})
	open, err := p.Store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Todo}, Open: true, Limit: 9})
	if err != nil || len(open) != 1 || open[0].Session != "later" {
		t.Errorf("open items %+v, %v, want that of the later session alone", open, err)
	}
}

func TestABackfillIsUndoneAsAWhole(t *testing.T) {
	p := newPastSessions(t)
	p.turn("Remember that the live lease is one minute.", "Noted: the live lease is one minute.")
	s := p.session("past", 20)
	s.turn("p1", leaseDecision, "go test ./lease", leaseAnswer)
	p.saves(s)
	live := p.stats().memories
	p.reads(capture.BackfillRequest{})
	if len(p.found("monotonic")) == 0 {
		t.Fatal("nothing was read in")
	}
	if got := p.asks(capture.BackfillRequest{Undo: true}); got.Hidden == 0 {
		t.Error("nothing was hidden")
	}
	if hits := p.found("monotonic"); len(hits) != 0 {
		t.Errorf("%d are still found", len(hits))
	}
	if got := p.stats().memories; got < live {
		t.Errorf("%d memories are left, want at least the %d of before", got, live)
	}
}

func TestUndoingABackfillKeepsPinnedOnesAndOtherProjects(t *testing.T) {
	p := newPastSessions(t)
	for i, said := range []string{
		"We decided to name the harbour pilot Wanda.", "We decided to name the harbour ferry Rosa.",
		"We decided to name the vault of the bank Greta.",
	} {
		s := p.session(fmt.Sprint("s", i), 10*i+10)
		if i == 2 {
			s.cwd = "/nowhere/any-more/bank"
		}
		s.turn(fmt.Sprint("p", i), said, "ls", "Noted.")
		p.saves(s)
	}
	p.reads(capture.BackfillRequest{})
	pinned := p.found("wanda")
	if len(pinned) == 0 || len(p.found("rosa")) == 0 {
		t.Fatal("nothing was learned")
	}
	for _, h := range pinned {
		if _, err := p.Store.Apply(t.Context(), mem.Batch{Edits: []mem.Edit{{ID: h.ID, Pinned: new(true)}}}); err != nil {
			t.Fatal(err)
		}
	}
	bank, err := p.Engine.Event.Place(t.Context(), mem.ProjectRef{Dir: "/nowhere/any-more/bank"})
	if err != nil {
		t.Fatal(err)
	}
	left := func() (n int) {
		all, err := p.Store.List(t.Context(), mem.Query{Project: bank.Key, Within: "*", Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := left()
	p.asks(capture.BackfillRequest{Undo: true, Project: pinned[0].Project})
	if got := len(p.found("wanda")); got != len(pinned) {
		t.Errorf("%d of %d pinned memories are left", got, len(pinned))
	}
	if got := len(p.found("rosa")); got != 0 {
		t.Errorf("%d memories that are not pinned are left", got)
	}
	if got := left(); before == 0 || got != before {
		t.Errorf("%d of %d memories of another project are left", got, before)
	}
}

func TestABackfillCompletesAnImportedSession(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("c-1", 10)
	began := s.at
	s.turn("p-1", leaseDecision, "ls", leaseAnswer)
	s.turn("p-2", "now print it, too", "lp", "It is printed.")
	p.saves(s)
	if _, err := p.Engine.Curate.Import(t.Context(), curate.ImportRequest{Sessions: []curate.ImportedSession{{
		ID: "c-1", Project: "shop", Began: began, Prompts: []curate.ImportedPrompt{{Text: leaseDecision, At: began}},
	}}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p.reads(capture.BackfillRequest{Limit: 1})
		turns, err := p.Store.Turns(t.Context(), "c-1", event.WholeSession)
		if err != nil || len(turns) != 2 || turns[1].PromptID != mem.ImportedPrompt+"1" || turns[0].PromptID != "p-2" {
			t.Errorf("turns %+v, %v", turns, err)
		}
		events := p.events("c-1")
		if want := 6; len(events) != want {
			t.Errorf("%d events, want %d: %q", len(events), want, events)
		}
		p.clock = p.clock.Add(2 * time.Minute)
	}
}

func TestImportedPromptsOfTheSameTextAreCompletedInTheirOrder(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("c-1", 10)
	began := s.at
	var prompts []curate.ImportedPrompt
	for i := range 12 {
		prompts = append(prompts, curate.ImportedPrompt{Text: "go on", At: began.Add(time.Duration(i) * time.Second)})
		s.turn(fmt.Sprint("p-", i+1), "go on", "ls", "Done.")
	}
	s.turn("p-13", "go on", "ls", "Done.") // is not among the imported ones
	p.saves(s)
	if _, err := p.Engine.Curate.Import(t.Context(), curate.ImportRequest{Sessions: []curate.ImportedSession{{
		ID: "c-1", Project: "shop", Began: began, Prompts: prompts,
	}}}); err != nil {
		t.Fatal(err)
	}
	p.reads(capture.BackfillRequest{})
	events := p.events("c-1")
	for i := range 13 {
		id, tool := fmt.Sprint(mem.ImportedPrompt, i+1), fmt.Sprint("toolu_p-", i+1)
		if i == 12 {
			id = "p-13"
		}
		if want := markOf(mem.PostToolUse, id, tool); !slices.Contains(events, want) {
			t.Errorf("no %s in %q", want, events)
		}
	}
}

func TestABackfillReadsWhatWasAskedFor(t *testing.T) {
	p := newPastSessions(t)
	for i, id := range []string{"s0", "s1", "s2"} {
		s := p.session(id, 10*i+10)
		if i == 1 {
			s.cwd = "/nowhere/any-more/bank"
		}
		s.turn("p-"+id, leaseDecision, "ls", leaseAnswer)
		p.saves(s)
	}
	for _, tt := range []struct {
		req  capture.BackfillRequest
		want int
	}{
		{capture.BackfillRequest{}, 3},
		{capture.BackfillRequest{Project: "bank"}, 1},
		{capture.BackfillRequest{Project: "/nowhere/any-more"}, 3},
		{capture.BackfillRequest{Since: p.clock.AddDate(0, 0, -25)}, 2},
		{capture.BackfillRequest{Limit: 1}, 1},
	} {
		tt.req.DryRun = true
		if got := p.asks(tt.req); got.Sessions != tt.want {
			t.Errorf("%+v: %d sessions, want %d", tt.req, got.Sessions, tt.want)
		}
	}
	for i, want := range []int{1, 2, 3, 3} {
		p.reads(capture.BackfillRequest{Limit: 1})
		known := 0
		for _, id := range []string{"s0", "s1", "s2"} {
			if len(p.events(id)) > 0 {
				known++
			}
		}
		if known != want {
			t.Errorf("after %d times one session, %d are read in, want %d", i+1, known, want)
		}
		p.clock = p.clock.Add(2 * time.Minute) // the result of the last one is not kept
	}
	if got := p.asks(capture.BackfillRequest{Project: "bank", Limit: 1}); got.Sessions != 0 {
		t.Errorf("%d sessions of a project that was read in", got.Sessions)
	}
	_, err := p.Engine.Backfill(t.Context(), capture.BackfillRequest{Folder: p.folder, Project: "ferry"})
	if !errors.Is(err, capture.ErrNoTranscripts) || !strings.Contains(err.Error(), "bank, shop") {
		t.Errorf("got %v, want the names that there are", err)
	}
}
