package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// thesaurus is an embedder that knows a few words and what they mean.
type thesaurus struct {
	model  string
	asked  [][]string
	fails  error                // of every call
	refuse func([]string) error // of calls with these texts
	slow   bool                 // questions take too long
}

var meanings = map[string]int{
	"car": 0, "automobile": 0, "vehicle": 0,
	"bread": 1, "loaf": 1, "bakery": 1,
	"login": 2, "authentication": 2, "sign": 2, "credentials": 2,
	"river": 3, "stream": 3,
}

func meaning(text string) []float32 {
	v := make([]float32, 6)
	v[4] = 0.2
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if i, ok := meanings[strings.Trim(w, ".,?!")]; ok {
			v[i]++
		} else {
			v[5] += 0.05
		}
	}
	return v
}

func (d *thesaurus) Model() string { return d.model }

func (d *thesaurus) Embed(_ context.Context, texts []string) ([][]float32, error) {
	d.asked = append(d.asked, slices.Clone(texts))
	if d.fails != nil {
		return nil, d.fails
	}
	if d.refuse != nil {
		if err := d.refuse(texts); err != nil {
			return nil, err
		}
	}
	var out [][]float32
	for _, t := range texts {
		out = append(out, meaning(t))
	}
	return out, nil
}

func (d *thesaurus) EmbedQuestion(ctx context.Context, text string) ([]float32, error) {
	if d.slow {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	vs, err := d.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

// sees gives the stage an embedder.
func (s *stage) sees(d *thesaurus) {
	s.Embedder = func() event.Embedder { return d }
	s.Engine.Reconnect()
}

func (s *stage) add(texts ...string) (ids []string) {
	s.t.Helper()
	for _, text := range texts {
		ids = append(ids, s.knows("", text))
	}
	return ids
}

// work does all jobs that are due, as the queue does, and returns how many.
func (s *stage) work() (done int, failed []error) {
	s.t.Helper()
	for done+len(failed) < 100 {
		jobs, err := s.store.Lease(s.t.Context(), mem.JobKinds{}, s.clock, time.Minute, 1)
		if err != nil {
			s.t.Fatal(err)
		}
		if len(jobs) == 0 {
			return done, failed
		}
		b, err := s.Work(s.t.Context(), jobs[0])
		if err != nil {
			failed = append(failed, err)
			var later mem.RetryLater
			errors.As(err, &later)
			jobs[0].NotBefore, jobs[0].Error = s.clock.Add(max(time.Second, later.Wait)), err.Error()
			b = mem.Batch{FailedJobs: jobs}
		} else {
			if jobs[0].Kind != event.JobLink { // which follows everything that is kept
				done++
			}
			b.FinishedJobs = append(b.FinishedJobs, jobs[0].ID)
		}
		s.applies(b)
	}
	s.t.Fatal("the jobs never end")
	return done, failed
}

func (s *stage) finds(text string) []string {
	s.t.Helper()
	f, err := s.Recall.Search(s.t.Context(), recall.SearchRequest{ProjectRef: shop, Query: mem.Query{Text: text}})
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, h := range f.Hits {
		out = append(out, h.Memory.Title)
	}
	return out
}

func (s *stage) vectors(model string) int {
	s.t.Helper()
	n, err := s.store.CountVectors(s.t.Context(), model)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *stage) jobs() int {
	s.t.Helper()
	st, err := s.store.Stats(s.t.Context(), "", s.clock)
	if err != nil {
		s.t.Fatal(err)
	}
	return st.Jobs - s.weavings()
}

// weavings counts the jobs that follow everything that is kept.
func (s *stage) weavings() int {
	s.t.Helper()
	js, err := s.store.Jobs(s.t.Context(), event.JobLink, 100)
	if err != nil {
		s.t.Fatal(err)
	}
	return len(js)
}

var notes = []string{
	"the automobile needs winter tyres", "a loaf takes an hour", "authentication is by cookie",
	"the stream floods in spring",
	"paint the fence white", "call the plumber about the sink", "water the ferns weekly",
}

func TestWhatSharesNoWordIsFoundByMeaning(t *testing.T) {
	s := newStage(t)
	s.add(notes...)
	if got := s.finds("which car"); len(got) != 0 {
		t.Fatalf("found %v by words", got)
	}
	s.sees(&thesaurus{model: "m"})
	if err := s.Recall.EmbedAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, failed := s.work(); failed != nil {
		t.Fatal(failed)
	}
	for question, want := range map[string]string{
		"which car": notes[0], "bread?": notes[1], "login": notes[2],
		"river": notes[3],
	} {
		if got := s.finds(question); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %q first", question, got, want)
		}
	}
	s.Embedder = nil
	s.Engine.Reconnect()
	if got := s.finds("which car"); len(got) != 0 {
		t.Errorf("found %v although it is switched off", got)
	}
}

func TestPromptGetsMemoriesOfTheSameMeaning(t *testing.T) {
	s := newStage(t)
	s.sees(&thesaurus{model: "m"})
	s.add(notes...)
	s.work()
	got := s.play(prompt("p1", "how do people login with credentials here"))
	if !strings.Contains(got.Context, "authentication is by cookie") {
		t.Errorf("injected %q, want the note on authentication", got.Context)
	}
	for _, other := range []string{"fence", "plumber", "tyres"} {
		if strings.Contains(got.Context, other) {
			t.Errorf("injected %q, which has nothing to do with the prompt", got.Context)
		}
	}
	got = s.play(prompt("p2", "please compute seventeen factorial quickly"))
	if strings.Contains(got.Context, "cookie") || strings.Contains(got.Context, "ferns") {
		t.Errorf("injected %q to a prompt about nothing that is known", got.Context)
	}
}

func TestAFloorOfThePersonKeepsMeaningOut(t *testing.T) {
	s := newStage(t)
	s.sees(&thesaurus{model: "m"})
	s.add(notes...)
	s.work()
	s.settings.VectorFloor = 0.999
	if got := s.play(prompt("p1", "how do people login with credentials here")); strings.Contains(got.Context, "cookie") {
		t.Errorf("injected %q below the floor", got.Context)
	}
}

func TestOneJobWaitsHoweverMuchIsKept(t *testing.T) {
	s := newStage(t)
	s.add("a first note before anything is embedded")
	if n := s.jobs(); n != 0 {
		t.Errorf("%d jobs wait although nothing embeds, want 0", n)
	}
	d := &thesaurus{model: "m"}
	s.sees(d)
	for i := range 50 {
		s.add(fmt.Sprint("note number ", i))
	}
	if n := s.jobs(); n != 1 {
		t.Errorf("%d jobs wait, want 1", n)
	}
	s.work()
	if n := s.vectors("m"); n != 51 {
		t.Errorf("%d memories have vectors, want 51", n)
	}
	var sizes []int
	for _, a := range d.asked {
		sizes = append(sizes, len(a))
	}
	if !slices.Equal(sizes, []int{32, 19}) {
		t.Errorf("asked in groups of %v, want 32 and 19", sizes)
	}
	if !strings.Contains(d.asked[0][0], "number 49") {
		t.Errorf("began with %q, want the newest", d.asked[0][0])
	}
}

func TestEventsGetVectorsToo(t *testing.T) {
	s := newStage(t)
	s.sees(&thesaurus{model: "m"})
	s.play(start("startup"), prompt("p1", "where is the car parked"),
		stop("p1", "I decided to park the automobile in the garage instead of the street."))
	s.work()
	if got := s.finds("vehicle"); !slices.ContainsFunc(got, func(title string) bool {
		return strings.HasPrefix(title, "I decided")
	}) {
		t.Errorf("found %v, want the decision among them", got)
	}
}

func TestAChangedTextIsEmbeddedAgain(t *testing.T) {
	s := newStage(t)
	s.sees(&thesaurus{model: "m"})
	ids := s.add(notes...)
	s.work()
	text := "the loaf burnt"
	if _, err := s.Curate.Edit(t.Context(), curate.EditRequest{ID: ids[0], Text: &text}); err != nil {
		t.Fatal(err)
	}
	s.work()
	if got := s.finds("bread"); len(got) < 2 || !slices.Contains(got[:2], text) {
		t.Errorf("found %v, want both loaves", got)
	}
	s.marks("forget", ids[1])
	if got := s.finds("bread"); slices.Contains(got, notes[1]) {
		t.Errorf("found %v, of which one is forgotten", got)
	}
}

func TestAnotherModelMeansAllAnew(t *testing.T) {
	s := newStage(t)
	s.sees(&thesaurus{model: "old"})
	s.add(notes...)
	hidden := s.add("hidden, with a vector")
	s.work()
	s.marks("forget", hidden...)
	s.work()
	s.sees(&thesaurus{model: "new"})
	if got := s.finds("which car"); len(got) != 0 {
		t.Errorf("found %v by the vectors of another model", got)
	}
	if err := s.Recall.EmbedAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.work()
	if o, n := s.vectors("old"), s.vectors("new"); o != 0 || n != len(notes) {
		t.Errorf("%d old vectors and %d new ones, want 0 and %d", o, n, len(notes))
	}
}

func TestVectorsCanBeMadeAnew(t *testing.T) {
	s := newStage(t)
	d := &thesaurus{model: "m"}
	s.sees(d)
	s.add(notes...)
	s.work()
	d.asked = nil
	if err := s.Recall.ForgetVectors(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.vectors("m"); n != 0 {
		t.Errorf("%d vectors are left, want 0", n)
	}
	s.work()
	if n := s.vectors("m"); n != len(notes) || len(d.asked) != 1 {
		t.Errorf("%d vectors by %d requests, want %d by 1", n, len(d.asked), len(notes))
	}
	s.Embedder = nil
	s.Engine.Reconnect()
	if err := s.Recall.ForgetVectors(t.Context()); err != nil || s.jobs() != 0 || s.vectors("m") != 0 {
		t.Errorf("switched off: %v, %d jobs, %d vectors", err, s.jobs(), s.vectors("m"))
	}
}

// One bad text must not keep the others from their vectors.
func TestATextWithoutVectorIsPassedOver(t *testing.T) {
	s := newStage(t)
	refused := errors.New("status 500")
	d := &thesaurus{model: "m", refuse: func(texts []string) error {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "poison") }) {
			return refused
		}
		return nil
	}}
	s.sees(d)
	s.add(append([]string{"poison in the well"}, notes...)...)
	if _, failed := s.work(); failed != nil {
		t.Errorf("failed: %v", failed)
	}
	if n := s.vectors("m"); n != len(notes) {
		t.Errorf("%d vectors, want %d", n, len(notes))
	}
	d.asked = nil
	if err := s.Recall.EmbedAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.work()
	if len(d.asked) != 0 {
		t.Errorf("asked again for %v", d.asked)
	}
}

func TestAServerThatIsBrokenMarksNothing(t *testing.T) {
	s := newStage(t)
	d := &thesaurus{model: "m", fails: errors.New("status 500")}
	s.sees(d)
	s.add(notes...)
	if _, failed := s.work(); len(failed) != 1 {
		t.Errorf("failures: %v, want one, and then a pause", failed)
	}
	if len(d.asked) != 2 {
		t.Errorf("%d requests, want the group and one more to see whose fault it is", len(d.asked))
	}
	d.fails = nil
	s.clock = s.clock.Add(time.Minute)
	s.work()
	if n := s.vectors("m"); n != len(notes) {
		t.Errorf("%d vectors once it works, want %d", n, len(notes))
	}
}

func TestAServerThatWantsToBeLeftAloneIs(t *testing.T) {
	s := newStage(t)
	d := &thesaurus{model: "m", fails: mem.RetryLater{Wait: time.Minute, Err: errors.New("status 429")}}
	s.sees(d)
	s.add(notes...)
	if done, failed := s.work(); done != 1 || failed != nil || len(d.asked) != 1 {
		t.Errorf("%d done, %v, %d requests, want one of each and no failure", done, failed, len(d.asked))
	}
	s.clock = s.clock.Add(59 * time.Second)
	if done, _ := s.work(); done != 0 {
		t.Error("asked before it wanted to be")
	}
	s.clock = s.clock.Add(time.Second)
	d.fails = nil
	s.work()
	if n := s.vectors("m"); n != len(notes) {
		t.Errorf("%d vectors, want %d", n, len(notes))
	}
}

func TestAJobDoesNotTryForEver(t *testing.T) {
	for name, fails := range map[string]error{
		"a server that is gone":      mem.RetryLater{Err: errors.New("cannot be reached")},
		"one that is always busy":    mem.RetryLater{Wait: time.Second, Err: errors.New("status 429")},
		"one that refuses all of it": errors.New("status 401"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			d := &thesaurus{model: "m", fails: fails}
			s.sees(d)
			s.add(notes...)
			for range 20 {
				s.work()
				s.clock = s.clock.Add(time.Hour)
			}
			if n := s.jobs(); n != 0 {
				t.Errorf("%d jobs wait, want 0", n)
			}
			if n := len(d.asked); n < 5 || n > 20 {
				t.Errorf("asked %d times, want a few times", n)
			}
			d.fails = nil
			s.add("one more")
			s.work()
			if n := s.vectors("m"); n != len(notes)+1 {
				t.Errorf("%d vectors after the next memory, want %d", n, len(notes)+1)
			}
		})
	}
}

func TestAnswersDoNotNeedTheServer(t *testing.T) {
	for name, d := range map[string]*thesaurus{
		"gone": {model: "m", fails: mem.RetryLater{Err: errors.New("cannot be reached")}},
		"slow": {model: "m", slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			well := &thesaurus{model: "m"}
			s.sees(well)
			s.add(notes...)
			s.work()
			s.settings.EmbedWait = time.Millisecond
			s.sees(d)
			if got := s.finds("winter tyres"); len(got) != 1 || got[0] != notes[0] {
				t.Errorf("found %v, want what the words find", got)
			}
			got := s.play(prompt("p1", "do the tyres of the automobile survive the winter"))
			if !strings.Contains(got.Context, notes[0]) {
				t.Errorf("injected %q, want what the words find", got.Context)
			}
		})
	}
}

func TestErasedWhileItWasEmbedded(t *testing.T) {
	s := newStage(t)
	s.sees(&thesaurus{model: "m"})
	var ids []string
	for i := range 40 {
		ids = append(ids, s.add(fmt.Sprint("note number ", i))...)
	}
	jobs, err := s.store.Lease(t.Context(), mem.JobKinds{}, s.clock, time.Minute, 1)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%v, %v", jobs, err)
	}
	b, err := s.Work(t.Context(), jobs[0])
	if err != nil || len(b.Jobs) != 1 {
		t.Fatalf("%+v, %v", b, err)
	}
	b.FinishedJobs = []string{jobs[0].ID}
	s.applies(b)
	if _, err := s.store.Purge(t.Context(), ids[8]); err != nil { // where the next job would begin
		t.Fatal(err)
	}
	if _, failed := s.work(); failed != nil {
		t.Errorf("failed: %v", failed)
	}
	if n := s.vectors("m"); n != 39 {
		t.Errorf("%d vectors, want 39", n)
	}
}
