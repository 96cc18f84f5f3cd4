package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/eval/evalstore"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

func TestAnExamLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	x, err := evalstore.Open(t.Context(), time.Now(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Keep(t.Context(),
		[]mem.Memory{{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "herons"}}); err != nil {
		t.Fatal(err)
	}
	if x.Bytes() == 0 {
		t.Error("got no bytes for what is kept")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Ctrl-C ends a run between two questions, and what it made goes too.
func TestAnInterruptedExamLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	a := &app{Connection: &daemon.Connection{Sys: config.System{Now: time.Now, Getenv: func(string) string {
		return ""
	}, Stderr: os.Stderr}, Close: func() {}}}
	o, err := exam{}.options()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	o.Progress = func(what string, _, _ int) {
		if what == "asked" {
			asked++
			stop()
		}
	}
	_, err = examineSuite(ctx, a, exam{suite: filepath.Join("testdata", "recall", "ferry")}, o)
	if !errors.Is(err, context.Canceled) || asked != 1 {
		t.Errorf("got %v after %d questions, want it to be cancelled after the first", err, asked)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// model knows that a car is an automobile. It fails with err.
type model struct{ err error }

func (model) Model() string { return "small" }

func (m model) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for _, s := range texts {
		v := []float32{0, 0, 1}
		for i, word := range []string{"automobile", "fence"} {
			if strings.Contains(s, word) {
				v = []float32{float32(1 - i), float32(i), 0}
			}
		}
		out = append(out, v)
	}
	return out, m.err
}

func (m model) EmbedQuestion(context.Context, string) ([]float32, error) {
	return []float32{1, 0, 0}, m.err
}

func TestAnExamWithAModelFindsWhatWordsDoNot(t *testing.T) {
	kept := func(em event.Embedder) (string, error) {
		x, err := evalstore.Open(t.Context(), time.Now(), em)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
		ms := []mem.Memory{{Title: "paint the fence"}, {Title: "the automobile needs tyres"}, {Title: "water the ferns"}}
		for i := range ms {
			ms[i].Scope, ms[i].Project, ms[i].Kind = mem.ScopeProject, "p_1", mem.Fact
		}
		if _, err := x.Keep(t.Context(), ms); err != nil {
			t.Fatal(err)
		}
		if err := x.Settle(t.Context()); err != nil {
			return "", err
		}
		found, err := x.Search(t.Context(), recall.SearchRequest{
			ProjectRef: mem.ProjectRef{Project: "p_1"},
			Query:      mem.Query{Text: "car"},
		})
		if err != nil || len(found.Hits) == 0 {
			return "", err
		}
		return found.Hits[0].Memory.Title, nil
	}
	if got, err := kept(nil); got != "" || err != nil {
		t.Errorf("by words: got %q, %v, want nothing", got, err)
	}
	if got, err := kept(model{}); got != "the automobile needs tyres" || err != nil {
		t.Errorf("with a model: got %q, %v", got, err)
	}
	if got, err := kept(model{errors.New("no such model")}); !errors.Is(err, fault.Embedding) {
		t.Errorf("with a broken one: got %q, %v, want to hear of it", got, err)
	}
	if got, err := kept(model{mem.RetryLater{Wait: time.Hour}}); !errors.Is(err, fault.Embedding) {
		t.Errorf("with a busy one: got %q, %v, want to hear of it", got, err)
	}
}

// The present of an exam is made of its units, so that it has the same outcome
// on any day.
func TestThePresentOfAnExamIsItsOwn(t *testing.T) {
	begun := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	newest := time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC)
	x, err := evalstore.Open(t.Context(), begun, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	at := func(ask recall.SearchRequest) time.Time {
		ask.Project, ask.Query.Text = "p_1", "herons"
		found, err := x.Search(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		return found.At
	}
	keep := func(created time.Time) {
		if _, err := x.Keep(t.Context(),
			[]mem.Memory{{
				Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "herons",
				Created: created,
			}}); err != nil {
			t.Fatal(err)
		}
	}
	keep(time.Time{})
	if got := at(recall.SearchRequest{}); !got.Equal(begun) {
		t.Errorf("without times: got %v, want %v", got, begun)
	}
	keep(newest)
	keep(newest.Add(-time.Hour))
	if got := at(recall.SearchRequest{}); !got.Equal(newest.Add(time.Second)) {
		t.Errorf("got %v, want a moment after %v", got, newest)
	}
	asOf := newest.Add(-24 * time.Hour)
	if got := at(recall.SearchRequest{Query: mem.Query{Before: asOf}}); !got.Equal(asOf) {
		t.Errorf("got %v, want %v", got, asOf)
	}
}

func TestOnlyPartsOfTheRankingCanBeLeftOut(t *testing.T) {
	o, err := exam{without: []string{"prox", " char4", "", "sess", "recency"}}.options()
	if want := []string{"prox", "char4", "sess", "recency"}; err != nil || !slices.Equal(o.Without, want) {
		t.Errorf("got %q, %v, want %q", o.Without, err, want)
	}
	for _, name := range []string{"proximity", "grams", "PROX", rank.PartCoverage} {
		_, err := exam{without: []string{"prox", name}}.options()
		if f := daemon.Explain(cmp.Or(err, error(fault.Other))); !f.Is(fault.Input) ||
			!strings.Contains(strings.Join(f.Fix, ""), "bm25f, prox, titlecov") {
			t.Errorf("%s: got %v with the fix %q, want the names", name, err, f.Fix)
		}
	}
}

// The names in the page are those of the ranking, as it is.
func TestTheExamsPageNamesPartsThatThereAre(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "internals", "eval.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, shown := strings.Cut(string(page), "--without ")
	names, _, _ := strings.Cut(rest, "\n")
	if _, err := (exam{without: strings.Split(strings.TrimSpace(names), ",")}).options(); !shown || err != nil {
		t.Errorf("docs/internals/eval.md shows --without %s: %v", names, err)
	}
}

// What cannot be judged is refused before anything is examined.
func TestGatesThatCannotHoldAreRefusedAtOnce(t *testing.T) {
	ferry := filepath.Join("testdata", "recall", "ferry")
	result := filepath.Join(t.TempDir(), "notes.json")
	if err := os.WriteFile(result, []byte(`{"schema":"remanence.eval/v1","suite":"notes","recall":{"10":0.5}}`),
		0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	for gate, want := range map[string]struct {
		fault fault.Fault
		says  string
	}{
		"nonsense":        {fault.NoFile, "neither a condition NAME=VALUE nor a file"},
		"recal.5=0.5":     {fault.Input, `no such measure: "recal.5"`},
		"=1":              {fault.Input, `no such measure: ""`},
		"recall.5=NaN":    {fault.Input, `"NaN" is no number`},
		result:            {fault.Input, `one of "notes", this is a run of "ferry"`},
		t.TempDir() + "/": {fault.Input, "is a directory"},
	} {
		a := &app{Connection: &daemon.Connection{Sys: config.System{Now: time.Now, Getenv: func(string) string {
			return ""
		}, Stderr: &strings.Builder{}}, Close: func() {}}}
		a.out, _ = testPrinter(100)
		a.flags.Quiet = true
		err := runExam(t.Context(), a, exam{suite: ferry, gates: []string{gate}})
		if !errors.Is(err, want.fault) || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s: got %v, want %s … %s", gate, err, want.fault.Code, want.says)
		}
		if made, _ := os.ReadDir(os.TempDir()); len(made) > 0 {
			t.Errorf("%s: a store was made", gate)
		}
	}
}

func TestAnExamThatCannotBeginLeavesNoCopyOfTheDatabase(t *testing.T) {
	p := newMachine(t)
	p.remember("we deploy on Thursdays only")
	p.configure("[embed]\nprovider = 'ollama'\nurl = 'http://192.0.2.1:11434'\n")
	if x, err := p.openOwn(t.Context()); err == nil {
		_ = x.Close()
		t.Fatal("a server on another machine is asked")
	}
	if left := p.copies(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
