package engine_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// pair is two statements and how the second relates to the first.
type pair struct{ relation, a, b string }

func pairs(t *testing.T) (out []pair) {
	t.Helper()
	data, err := os.ReadFile("../lang/testdata/pairs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			t.Fatalf("line %q has %d fields, want 3", line, len(f))
		}
		out = append(out, pair{f[0], f[1], f[2]})
	}
	return out
}

func (p pair) conflict() bool { return p.relation == "differs" || p.relation == "opposite" }

func TestStatementsThatConflictAreNeverMerged(t *testing.T) {
	for _, p := range pairs(t) {
		if !p.conflict() {
			continue
		}
		s := newStage(t)
		s.learned(mem.Memory{Title: p.a}, mem.Memory{Title: p.b, Session: "two"})
		if got := s.consolidate(curate.ConsolidateRequest{}); len(got.Runs[0].Changes) > 0 {
			t.Errorf("%q and %q: changes %q, want none", p.a, p.b, rulesOf(got.Runs[0]))
		}
	}
}

func TestACorrectionIsKeptAndNamesTheMemoryItDiffersFrom(t *testing.T) {
	named := 0
	for _, p := range pairs(t) {
		s := newStage(t)
		first := s.remember(curate.AddRequest{Text: p.a, IfNew: true})
		got := s.remember(curate.AddRequest{Text: p.b, IfNew: true})
		if p.conflict() && got.ID == "" {
			t.Errorf("%q after %q: not kept", p.b, p.a)
		}
		if !p.conflict() && got.ID != "" && got.ID != first.ID {
			t.Errorf("%q after %q: kept twice", p.b, p.a)
		}
		if p.conflict() && idOf(got.Similar) == first.ID {
			named++
		}
	}
	if named < 50 {
		t.Errorf("the memory that differs is named in %d answers, want at least 50", named)
	}
}

const fromPostgres, fromKafka = "The sync job reads from postgres, writes to kafka",
	"The sync job reads from kafka, writes to postgres"

func TestACorrectionCanReplaceWhatItDiffersFrom(t *testing.T) {
	s := newStage(t)
	old := s.remember(curate.AddRequest{Text: "the billing client makes three retries with jittered backoff", IfNew: true})
	ask := curate.AddRequest{Text: "the billing client makes five retries with jittered backoff", IfNew: true}
	got := s.remember(ask)
	if got.ID == "" || idOf(got.Similar) != old.ID || got.Relation != "differs" || got.Difference != "number" {
		t.Fatalf("got %+v, want it kept beside %s", got, old.ID)
	}
	ask.Supersedes = old.ID
	again := s.remember(ask)
	if again.ID != got.ID || s.shown(old.ID).Status != mem.Superseded || s.shown(got.ID).Status != mem.Active {
		t.Errorf("%s is %s, %s is %s", old.ID, s.shown(old.ID).Status, again.ID, s.shown(again.ID).Status)
	}
}

func TestWhatAPersonEditedIsNotChangedBackByItsFormerText(t *testing.T) {
	s := newStage(t)
	first := s.remember(curate.AddRequest{Text: "the admin panel listens on port 8443 behind the proxy"})
	right := "the admin panel listens on port 9443 behind the proxy"
	if _, err := s.Curate.Edit(t.Context(), curate.EditRequest{ID: first.ID, Text: &right}); err != nil {
		t.Fatal(err)
	}
	got := s.remember(curate.AddRequest{Text: "the admin panel listens on port 8443 behind the proxy", IfNew: true})
	if s.shown(first.ID).Title != right || got.ID == first.ID || got.ID == "" {
		t.Errorf("the edited one says %q; the other is %q", s.shown(first.ID).Title, got.ID)
	}
}

func TestWhatIsKeptApartIsNeverMerged(t *testing.T) {
	const one, more = "The ledger exporter runs on the second node of the cluster",
		"The ledger exporter runs on the second node of the old cluster"
	for name, keep := range map[string]func(s *stage){
		"by speaker": func(s *stage) {
			s.remember(curate.AddRequest{Text: one, Agent: event.UnknownAgent})
			s.remember(curate.AddRequest{Text: more, Agent: event.UnknownAgent, KeepBoth: true})
		},
		"in a review": func(s *stage) {
			ids := s.learned(mem.Memory{Title: one}, mem.Memory{Title: more, Session: "two"})
			_, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
				Rule: "duplicate", IDs: ids,
				Action: curate.RejectFinding,
			})
			if err != nil {
				t.Fatal(err)
			}
		},
		"as a contradiction that is none": func(s *stage) {
			ids := s.learned(mem.Memory{Title: one}, mem.Memory{Title: more, Session: "two"})
			_, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
				Rule: "contradiction", IDs: []string{ids[1], ids[0]},
				Action: curate.RejectFinding,
			})
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			keep(s)
			if got := s.consolidate(curate.ConsolidateRequest{}); len(got.Runs[0].Changes) > 0 {
				t.Errorf("changes %q, want none", rulesOf(got.Runs[0]))
			}
			for _, f := range s.inbox().Items {
				if f.Rule == "duplicate" {
					t.Errorf("the review still proposes to merge: %s", f.Text)
				}
			}
		})
	}
	s := newStage(t)
	s.learned(mem.Memory{Title: one}, mem.Memory{Title: more, Session: "two"})
	if got := s.consolidate(curate.ConsolidateRequest{}); len(got.Runs[0].Changes) == 0 {
		t.Error("they were not kept apart, and they are not merged")
	}
}

// A person or an agent who says that two statements both hold is not asked again, but for an agent about what the
// person said.
func TestWhatIsKeptBesideAnotherIsNotAskedAbout(t *testing.T) {
	for _, tt := range []struct {
		first, second string // the agents
		keep, asked   bool
	}{
		{"", "", true, false},
		{"", "", false, true},
		{"", event.UnknownAgent, true, true},
		{event.UnknownAgent, event.UnknownAgent, true, false},
	} {
		s := newStage(t)
		s.remember(curate.AddRequest{Text: fromPostgres, Agent: tt.first})
		s.remember(curate.AddRequest{Text: fromKafka, Agent: tt.second, KeepBoth: tt.keep})
		s.linkAll()
		found := slices.ContainsFunc(s.inbox().Items, func(i curate.ReviewItem) bool { return i.Rule == "contradiction" })
		linted := slices.ContainsFunc(must(s.Curate.Lint(t.Context(), curate.LintRequest{ProjectRef: shop})).Findings,
			func(f curate.Finding) bool { return f.Rule == curate.LintContradiction })
		if found != tt.asked || linted != tt.asked {
			t.Errorf("%+v: in review %v, in lint %v", tt, found, linted)
		}
	}
}

// The older of two is superseded, in whichever order a person names them.
func TestTheOlderOfAContradictionIsSuperseded(t *testing.T) {
	for _, turned := range []bool{false, true} {
		s := newStage(t)
		old := s.remember(curate.AddRequest{Text: fromPostgres}).ID
		s.clock = s.clock.Add(time.Hour)
		ids := []string{s.remember(curate.AddRequest{Text: fromKafka}).ID, old}
		if turned {
			slices.Reverse(ids)
		}
		got, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
			Rule: "contradiction", Action: curate.AcceptFinding, IDs: ids,
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.shown(old).Status != mem.Superseded || got.Memories[0].ID == old {
			t.Errorf("named as %v: the older one is %s", ids, s.shown(old).Status)
		}
	}
}

func TestExchangedRolesAreAContradictionAndNoDuplicate(t *testing.T) {
	s := newStage(t)
	s.learned(mem.Memory{Title: fromPostgres}, mem.Memory{Title: fromKafka, Session: "two"})
	var rules []string
	for _, f := range s.inbox().Items {
		rules = append(rules, f.Rule)
	}
	if strings.Join(rules, " ") != "contradiction" {
		t.Errorf("findings %q, want one contradiction", rules)
	}
	lint, err := s.Curate.Lint(t.Context(), curate.LintRequest{ProjectRef: shop, Rules: []string{"duplicate"}})
	if err != nil || len(lint.Findings) > 0 {
		t.Errorf("lint finds %+v, %v; want nothing", lint.Findings, err)
	}
}
