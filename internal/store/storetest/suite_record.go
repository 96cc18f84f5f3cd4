package storetest

import (
	"errors"
	"io"
	"testing"
	"time"

	"remanence/internal/mem"
)

// mover is a test that moves rows from one store to another.
type mover struct {
	kit       // of the store that rows come from
	to    kit // of the store that they go to
	query mem.RecordQuery
}

func records(k kit) mem.RecordStore { return k.store.(mem.RecordStore) }

// rows returns the rows that a query selects.
func (k kit) rows(q mem.RecordQuery) (out []mem.Record) {
	k.Helper()
	if err := records(k).Records(k.Context(), q, func(r mem.Record) error {
		out = append(out, r)
		return nil
	}); err != nil {
		k.Fatalf("Records(%+v): %v", q, err)
	}
	return out
}

// moves writes the selected rows into the other store.
func (m mover) moves() mem.RecordCounts {
	m.Helper()
	counts, err := m.puts(m.rows(m.query), io.EOF)
	if err != nil {
		m.Fatalf("PutRecords: %v", err)
	}
	return counts
}

// puts writes rows, after which there is an error.
func (m mover) puts(rows []mem.Record, last error) (mem.RecordCounts, error) {
	return records(m.to).PutRecords(m.Context(), func() (r mem.Record, err error) {
		if len(rows) == 0 {
			return r, last
		}
		r, rows = rows[0], rows[1:]
		return r, nil
	})
}

// fill stores two projects with sessions, turns, memories, a receipt, links and a run.
func (m mover) fill() (ids []string) {
	m.Helper()
	shop := mem.Project{Key: "p_000000000001", Name: "shop", Root: "/shop", Common: "/shop/.git", Origin: "host/shop"}
	begin := prompt("one", "p1", "make the till")
	begin.Project, begin.Session = &shop, &mem.SessionChange{Project: shop.Key, ProjectName: "shop", FirstPrompt: "till"}
	begin.Receipts = []mem.Receipt{{ID: "r_1", Session: "one", Project: shop.Key, At: Clock(), Text: "a block"}}
	m.apply(begin)
	ids = m.put(fact("the till counts cents"), with(fact("the till is green"), func(f *mem.Memory) {
		f.Body, f.Session, f.Facts = "like grass", "one", mem.Strings{"one", "two"}
		f.Tags, f.Files = mem.Strings{"colour"}, mem.Strings{"till.go"}
	}), with(fact("the depot has a ladder"), func(f *mem.Memory) { f.Project = "p_000000000002" }))
	pinned, hidden := true, mem.Forgotten
	m.apply(
		mem.Batch{Edits: []mem.Edit{{ID: ids[0], Pinned: &pinned}, {ID: ids[1], Status: &hidden}}},
		mem.Batch{Links: []mem.MemoryLinks{{
			Memory: ids[0], Updated: m.one(ids[0]).Updated, Entities: []mem.NamedEntity{{
				Kind: mem.EntityFile, Name: "till.go", Confidence: 1,
			}},
			Links: []mem.Link{{From: ids[0], To: ids[1], Kind: mem.LinkRelatedTo, Confidence: 0.5}},
		}}},
		mem.Batch{Run: &mem.Run{Kind: mem.FullRun, Project: shop.Key, At: Clock(), Examined: 2, Changes: []mem.Step{{
			Rule: mem.RuleMerge, Memory: ids[1], Other: ids[0], Reason: "alike",
		}}}},
	)
	return ids
}

// RunRecords tests what RecordStore promises. open returns an empty store that is one.
func RunRecords(t *testing.T, open func(t *testing.T) mem.Store) {
	for name, test := range recordTests {
		t.Run(name, func(t *testing.T) { test(mover{kit: kit{t, open(t)}, to: kit{t, open(t)}}) })
	}
}

var recordTests = map[string]func(m mover){
	"an empty store that gets all rows has the same": func(m mover) {
		ids := m.fill()
		want := m.rows(m.query)
		m.moves()
		m.to.same("rows", m.to.rows(m.query), want)
		for _, id := range ids {
			m.to.same(id, m.to.one(id), m.one(id))
		}
		m.to.same("session", m.to.session("one"), m.session("one"))
		m.to.same("matches", m.to.match(mem.Query{Terms: []string{"ladder"}}), []string{"the depot has a ladder"})
	},
	"writing rows twice changes nothing": func(m mover) {
		m.fill()
		first := m.moves()
		want := m.to.rows(m.query)
		again := m.moves()
		m.to.same("rows", m.to.rows(m.query), want)
		if n := len(again.Taken); n != 0 || again.Known["memory"] != first.Taken["memory"] {
			m.Errorf("again %+v, at first %+v", again, first)
		}
	},
	"an error of the source leaves nothing": func(m mover) {
		m.fill()
		rows, broken := m.rows(m.query), errors.New("the file ends here")
		for _, n := range []int{1, len(rows) / 2, len(rows)} {
			if _, err := m.puts(rows[:n], broken); !errors.Is(err, broken) {
				m.Errorf("after %d rows: %v, want the error of the source", n, err)
			}
			m.to.same("rows", m.to.rows(m.query), []mem.Record(nil))
		}
	},
	"a row of no known table is an error": func(m mover) {
		if _, err := m.puts([]mem.Record{{Table: "x", Row: map[string]any{"id": "1"}}}, io.EOF); err == nil {
			m.Error("it was written")
		}
	},
	"an id that another row has is replaced, also where rows refer to it": func(m mover) {
		m.to.put(fact("something else"))
		ids := m.fill()
		m.moves()
		if got := m.to.one(ids[0]).Title; got != "something else" {
			m.Errorf("%s is %q now", ids[0], got)
		}
		all := m.to.List(mem.Query{Hidden: true})
		byTitle := map[string]string{}
		for _, mm := range all {
			byTitle[mm.Title] = mm.ID
		}
		var refers bool
		for _, r := range m.to.rows(m.query) {
			refers = refers || r.Table == "relation" && r.Row["from_memory"] == byTitle["the till counts cents"] &&
				r.Row["to_memory"] == byTitle["the till is green"]
		}
		if len(all) != 4 || !refers {
			m.Errorf("%d memories, %v; the link follows: %v", len(all), byTitle, refers)
		}
	},
	"a project and a time select what can stand alone": func(m mover) {
		m.fill()
		m.query.Project = "p_000000000002"
		m.moves()
		m.to.same("memories", titles(m.to.List(mem.Query{Hidden: true})), []string{"the depot has a ladder"})
		m.query = mem.RecordQuery{Since: Clock().Add(24 * time.Hour)}
		for _, r := range m.rows(m.query) {
			if r.Table == "memory" || r.Table == "session" {
				m.Errorf("of the time before: %+v", r)
			}
		}
	},
	"an error of the reader ends the reading": func(m mover) {
		m.fill()
		enough, n := errors.New("enough"), 0
		err := records(m.kit).Records(m.Context(), m.query, func(mem.Record) error {
			n++
			return enough
		})
		if !errors.Is(err, enough) || n != 1 {
			m.Errorf("%d rows, %v", n, err)
		}
	},
}
