//go:build backends && linux

package backends

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/eval"
	"remanence/internal/eval/evalstore"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/store/served"
	"remanence/internal/store/sqlite"
	"remanence/test/pgserver"
	"remanence/test/surrealserver"
)

// The same memories and questions get the same answers from each store: by the index in RAM, which daemons search, and
// by the search of the store itself, which commands without a daemon use. REMANENCE_SUITES names other suites, as a
// list of paths; docs/internals/eval.md has their figures.
func TestRecallIsTheSameOnEachStore(t *testing.T) {
	pg, err := pgserver.New(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pg.Remove(); err != nil {
			t.Error(err)
		}
	})
	surreal, err := surrealserver.New(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := surreal.Remove(); err != nil {
			t.Error(err)
		}
	})
	onServer := func(t *testing.T, dsn string) mem.Store {
		t.Helper()
		st, err := served.Open(t.Context(), served.Config{DSN: dsn, Getenv: surreal.Getenv})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	stores := []struct {
		name string
		open func(t *testing.T, run string) mem.Store
	}{
		{"SQLite", func(t *testing.T, _ string) mem.Store {
			t.Helper()
			st, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(t.TempDir(), "exam.db")})
			if err != nil {
				t.Fatal(err)
			}
			return st
		}},
		{"PostgreSQL", func(t *testing.T, run string) mem.Store {
			t.Helper()
			if err := pg.SQL("postgres", "CREATE DATABASE "+run+" OWNER remanence"); err != nil {
				t.Fatal(err)
			}
			return onServer(t, pg.WithDatabase(run))
		}},
		{"SurrealDB", func(t *testing.T, run string) mem.Store {
			t.Helper()
			return onServer(t, surreal.DSN("exam", run))
		}},
	}
	suites := filepath.SplitList(cmp.Or(os.Getenv("REMANENCE_SUITES"), "../../internal/cli/testdata/recall/ferry"))
	searches := map[string]func(mem.Store) *index.Store{"by index": index.NewStore, "by store": index.NewSharedStore}
	n := 0
	for _, suite := range suites {
		for search, wrap := range searches {
			t.Run(filepath.Base(suite)+"/"+search, func(t *testing.T) {
				want := map[string]float64{}
				for _, store := range stores {
					n++
					got := examine(t, suite, evalstore.OpenOn(time.Time{}, wrap(store.open(t, "exam"+string(rune('a'+n))))))
					t.Logf("%s: R@10 %.4f, MRR %.4f, %d questions of %d memories, %.1f ms at the median, stored in %.1f s",
						store.name, got.Recall["10"], *got.MRR, got.Queries, got.Units, got.Latency.P50, got.IndexS)
					for cutoff, share := range got.Recall {
						if store.name == "SQLite" {
							want[cutoff] = share
						} else if math.Abs(share-want[cutoff]) > 0.01 {
							t.Errorf("%s: recall at %s is %.4f, SQLite's %.4f", store.name, cutoff, share, want[cutoff])
						}
					}
				}
			})
		}
	}
}

func examine(t *testing.T, path string, on *evalstore.Subject) eval.Result {
	t.Helper()
	defer on.Close()
	suite, err := eval.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := eval.Run(t.Context(), suite, on, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Queries == 0 || got.Recall["10"] < 0.3 {
		t.Fatalf("of %d questions recall at 10 is %.3f: this proves nothing", got.Queries, got.Recall["10"])
	}
	return got
}
