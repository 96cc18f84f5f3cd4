package storetest

import (
	"errors"
	"fmt"
	"time"

	"remanence/internal/mem"
)

var projectTests = []contractTest{
	{"Projects finds by key, prefix, name, root and git directory", func(k kit) {
		a := mem.Project{
			Key: "p_aaaaaaaaaaa1", Name: "alpha", Root: "/src/alpha", Common: "/src/alpha/.git",
			Origin: "host/alpha", Branch: "main", Commit: "c1",
		}
		b := mem.Project{Key: "p_aaaaaaaaaaa2", Name: "beta", Root: "/src/beta"}
		late := newEvent("e_2", "two")
		late.At = later(time.Hour)
		k.apply(mem.Batch{Event: newEvent("e_1", "one"), Project: &a}, mem.Batch{Event: late, Project: &b})
		a.LastEvent, b.LastEvent = Clock(), later(time.Hour)
		for ref, want := range map[string][]mem.Project{
			"": {b, a}, a.Key: {a}, "beta": {b}, "/src/alpha": {a}, "/src/alpha/.git": {a}, "p_aaaaaaaaaaa2": {b}, "/src": {},
			"nothing": {}, "p_b": {}, "%": {},
		} {
			got, err := k.store.Projects(k.Context(), ref)
			if err != nil {
				k.Errorf("Projects(%q): %v", ref, err)
			}
			k.same(fmt.Sprintf("Projects(%q)", ref), got, want)
		}
		if _, err := k.store.Projects(k.Context(), "p_aaa"); !errors.Is(err, mem.ErrAmbiguous) {
			k.Errorf("a prefix of two: %v, want %v", err, mem.ErrAmbiguous)
		}
	}},
	{"a unique prefix is enough", func(k kit) {
		k.apply(mem.Batch{Project: &mem.Project{Key: "p_aaa1", Name: "x"}},
			mem.Batch{Project: &mem.Project{Key: "p_bbb1", Name: "y"}})
		k.same("keys", k.keys("p_b"), []string{"p_bbb1"})
	}},
	{"a name that keys begin with is not a prefix", func(k kit) {
		k.apply(mem.Batch{Project: &mem.Project{Key: "p_aaa1", Name: "x"}})
		k.same("projects p", k.keys("p"), []string{})
		k.same("projects p_", k.keys("p_"), []string{})
	}},
	{"of projects with one name the last active comes first", func(k kit) {
		for i, key := range []string{"p_1", "p_2", "p_3"} {
			e := newEvent("e_"+key, key)
			e.At = later([]time.Duration{0, 2 * time.Hour, time.Hour}[i])
			k.apply(mem.Batch{Event: e, Project: &mem.Project{Key: key, Name: "same"}})
		}
		k.same("keys", k.keys("same"), []string{"p_2", "p_3", "p_1"})
	}},
	{"an event of a session is activity of its project", func(k kit) {
		k.apply(mem.Batch{
			Event: newEvent("e_1", "one"), Project: &mem.Project{Key: "p_1"},
			Session: &mem.SessionChange{Project: "p_1"},
		})
		e := newEvent("e_2", "one")
		e.At = later(time.Hour)
		k.apply(mem.Batch{Event: e})
		got, err := k.store.Projects(k.Context(), "p_1")
		if err != nil || len(got) != 1 || !got[0].LastEvent.Equal(later(time.Hour)) {
			k.Errorf("got %+v, %v, want last event %v", got, err, later(time.Hour))
		}
	}},
	{"all checkouts are the same project", func(k kit) {
		p := mem.Project{Key: "p_1", Name: "x", Root: "/a", Common: "/a/.git"}
		tree, clone := p, p
		tree.Root = "/b"
		clone.Root, clone.Common = "/c", "/c/.git"
		k.apply(mem.Batch{Project: &p}, mem.Batch{Project: &tree}, mem.Batch{Project: &clone})
		for _, ref := range []string{"/a", "/b", "/c", "/a/.git", "/c/.git"} {
			k.same(ref, k.keys(ref), []string{"p_1"})
		}
	}},
	{"a known git directory keeps its project's key", func(k kit) {
		k.apply(mem.Batch{
			Event: newEvent("e_1", "one"), Project: &mem.Project{Key: "p_old", Name: "x", Common: "/a/.git"},
			Memories: []mem.Memory{with(fact("before"), func(m *mem.Memory) {
				m.Project = "p_old"
			})},
		})
		k.apply(mem.Batch{
			Event: newEvent("e_2", "two"), Project: &mem.Project{Key: "p_new", Name: "x", Common: "/a/.git", Origin: "host/x"},
			Session:     &mem.SessionChange{Project: "p_new"},
			Memories:    []mem.Memory{with(fact("after"), func(m *mem.Memory) { m.Project = "p_new" })},
			Checkpoints: []mem.Checkpoint{{Session: "two", Project: "p_new"}},
			Receipts:    []mem.Receipt{{ID: "r_1", Session: "two", Project: "p_new"}},
			Pauses:      []mem.Pause{{Target: "p_new"}},
		})
		// A later batch need not contain the project.
		k.put(with(fact("later"), func(m *mem.Memory) { m.Project = "p_new" }))
		k.same("keys", k.keys(""), []string{"p_old"})
		for _, ref := range []string{"p_old", "p_new"} {
			k.same("by "+ref, k.keys(ref), []string{"p_old"})
			if got := len(k.List(mem.Query{Project: ref})); got != 3 {
				k.Errorf("%d memories of %s, want 3", got, ref)
			}
			sessions, err := k.store.Sessions(k.Context(), mem.SessionQuery{Project: ref})
			if err != nil || len(sessions) != 2 || sessions[0].Project != "p_old" {
				k.Errorf("sessions of %s: %+v, %v", ref, sessions, err)
			}
			checks, err := k.store.Checkpoints(k.Context(), mem.CheckpointQuery{Project: ref})
			if err != nil || len(checks) != 1 || checks[0].Project != "p_old" {
				k.Errorf("checkpoints of %s: %+v, %v", ref, checks, err)
			}
			receipts, err := k.store.Receipts(k.Context(), mem.ReceiptQuery{Project: ref})
			if err != nil || len(receipts) != 1 || receipts[0].Project != "p_old" {
				k.Errorf("receipts of %s: %+v, %v", ref, receipts, err)
			}
			if st, err := k.store.Stats(k.Context(), ref, Clock()); err != nil || st.Memories != 3 {
				k.Errorf("stats of %s: %+v, %v", ref, st, err)
			}
		}
		k.same("pauses", k.pauses(), []mem.Pause{{Target: "p_old"}})
	}},
	{"a key of another project does not become an alias", func(k kit) {
		k.apply(mem.Batch{Project: &mem.Project{Key: "p_1", Name: "one", Common: "/a/.git"}},
			mem.Batch{Project: &mem.Project{Key: "p_2", Name: "two", Common: "/b/.git"}})
		k.apply(mem.Batch{
			Project: &mem.Project{Key: "p_1", Name: "two", Common: "/b/.git"},
			Memories: []mem.Memory{with(fact("of two"), func(m *mem.Memory) {
				m.Project = "p_1"
			})},
		})
		k.same("by p_1", k.keys("p_1"), []string{"p_1"})
		k.same("of p_2", titles(k.List(mem.Query{Project: "p_2"})), []string{"of two"})
	}},
	{"empty fields keep the stored values", func(k kit) {
		k.apply(mem.Batch{Project: &mem.Project{Key: "p_1", Name: "x", Root: "/a", Origin: "o", Branch: "main", Commit: "c"}},
			mem.Batch{Project: &mem.Project{Key: "p_1", Branch: "dev"}})
		got, err := k.store.Projects(k.Context(), "p_1")
		if err != nil {
			k.Fatal(err)
		}
		k.same("project", got, []mem.Project{{
			Key: "p_1", Name: "x", Root: "/a", Origin: "o", Branch: "dev", Commit: "c",
			LastEvent: Clock(),
		}})
	}},
}

func (k kit) keys(ref string) []string {
	k.Helper()
	found, err := k.store.Projects(k.Context(), ref)
	if err != nil {
		k.Fatalf("Projects(%q): %v", ref, err)
	}
	keys := []string{}
	for _, p := range found {
		keys = append(keys, p.Key)
	}
	return keys
}
