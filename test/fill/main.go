// Command fill writes a store from outside: memories of a made-up shop, learned in sessions with prompts, injections
// and uses of what earlier sessions learned. It is for tests and pictures that look at a store from outside, such as
// the viewer's in a browser.
//
//	go run ./test/fill -database FILE -project DIR -memories 100000
//	go run ./test/fill -database FILE -project DIR -project DIR -days 30 -memories 240 -session 4
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"remanence/internal/project"
	"remanence/internal/store/sqlite"
	"remanence/test/corpus"
)

func main() {
	c := config{}
	flag.StringVar(&c.database, "database", "", "file to write")
	flag.Func("project", "directory of a project; may be given several times", func(dir string) error {
		p, err := project.Identify(dir)
		c.Projects = append(c.Projects, p)
		return err
	})
	flag.IntVar(&c.Memories, "memories", 100_000, "how many")
	flag.IntVar(&c.PerSession, "session", 50, "memories that are learned in one session")
	flag.IntVar(&c.Days, "days", 730, "days up to now in which they are learned")
	flag.Parse()
	if err := fill(context.Background(), c); err != nil {
		fmt.Fprintln(os.Stderr, "fill:", err)
		os.Exit(1)
	}
}

// config says what a store is filled with.
type config struct {
	corpus.Work
	database string
}

func fill(ctx context.Context, c config) (err error) {
	if len(c.Projects) == 0 {
		return errors.New("no -project is given")
	}
	if err := os.MkdirAll(filepath.Dir(c.database), 0o700); err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, sqlite.Config{Path: c.database})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return corpus.Fill(ctx, s.Apply, c.Work)
}
