// Command fill writes a large store: memories of a made-up shop over two years,
// learned in sessions with prompts and injections. It is for tests that
// look at a store from outside, such as the viewer's in a browser.
//
//	go run ./test/fill -database FILE -project DIR -memories 100000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/store/sqlite"
	"remanence/test/corpus"
)

const perSession = 50 // memories that are learned in one session

func main() {
	database := flag.String("database", "", "file to write")
	dir := flag.String("project", ".", "directory of the project")
	n := flag.Int("memories", 100_000, "how many")
	flag.Parse()
	if err := fill(context.Background(), *database, *dir, *n); err != nil {
		fmt.Fprintln(os.Stderr, "fill:", err)
		os.Exit(1)
	}
}

func fill(ctx context.Context, database, dir string, n int) (err error) {
	p, err := project.Identify(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(database), 0o700); err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, sqlite.Config{Path: database})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	text, now := corpus.NewWords(), time.Now()
	apart := 2 * 365 * 24 * time.Hour / time.Duration(max(n, 1)) // first: the product of both would not fit
	var group []mem.Batch
	for first := 0; first < n; first += perSession {
		group = append(group, session(p, first, min(first+perSession, n), func(i int) time.Time {
			return now.Add(-time.Duration(n-i) * apart)
		}, text))
		if len(group) == 20 || first+perSession >= n {
			if _, err := s.Apply(ctx, group...); err != nil {
				return err
			}
			group = group[:0]
		}
	}
	return nil
}

// session is one session that learned the memories from first up to end.
func session(p mem.Project, first, end int, at func(i int) time.Time, text corpus.Words) mem.Batch {
	name := fmt.Sprintf("made-up-%06d", first/perSession)
	asked := corpus.Question(first + 1)
	ev := mem.Event{
		ID: "e_" + name, Agent: "claude-code", Kind: mem.UserPromptSubmit, At: at(first), Session: name,
		PromptID: "p1", Text: asked, Root: p.Root,
	}
	b := mem.Batch{
		Event: &ev, Project: &p, Turn: &mem.TurnChange{Text: asked, Person: true},
		Session: &mem.SessionChange{
			Agent: "claude-code", Project: p.Key, ProjectName: p.Name, Root: p.Root,
			FirstPrompt: asked, Status: mem.Completed,
		},
	}
	r := mem.Receipt{
		ID: fmt.Sprintf("r_%08d", first), Event: ev.ID, Session: name, Project: p.Key, At: ev.At,
		Trigger: "prompt", Query: asked, Outcome: mem.Injected, Budget: 300,
	}
	for i := first; i < end; i++ {
		m := corpus.Memory(p, i, at(i), text)
		m.Session, m.Source = name, mem.Source{Agent: "claude-code", Session: name, PromptID: "p1", Event: ev.ID}
		b.Memories, b.Links = append(b.Memories, m), append(b.Links, corpus.LinksOf(i, m))
		if len(r.Items) < 3 {
			r.Items = append(r.Items, mem.InjectedItem{
				ID: chars.ShortID("m_", int64(i)+1), Rank: len(r.Items) + 1, Kind: m.Kind,
				Title: m.Title, Score: 0.5, Tokens: 40,
			})
			r.Tokens += 40
		}
	}
	b.Receipts = []mem.Receipt{r}
	return b
}
