package storetest

import (
	"time"

	"remanence/internal/mem"
)

func (k kit) spent(day string) mem.Spending {
	k.Helper()
	s, err := k.store.Spent(k.Context(), day)
	if err != nil {
		k.Fatalf("Spent: %v", err)
	}
	return s
}

var spendingTests = []contractTest{
	{"spending adds up by day", func(k kit) {
		k.same("none", k.spent("2026-03-01"), mem.Spending{Day: "2026-03-01"})
		k.apply(mem.Batch{Spent: &mem.Spending{Day: "2026-03-01", Tokens: 900, Calls: 1}})
		k.apply(mem.Batch{Spent: &mem.Spending{Day: "2026-03-01", Tokens: -300, Failures: 1}})
		k.apply(mem.Batch{Spent: &mem.Spending{Day: "2026-03-02", Tokens: 5, Calls: 2}})
		k.same("the day", k.spent("2026-03-01"), mem.Spending{Day: "2026-03-01", Tokens: 600, Calls: 1, Failures: 1})
		k.same("the next", k.spent("2026-03-02"), mem.Spending{Day: "2026-03-02", Tokens: 5, Calls: 2})
	}},
	{"a failing batch adds no spending", func(k kit) {
		_, err := k.store.Apply(k.Context(), mem.Batch{Memories: []mem.Memory{{}}, Spent: &mem.Spending{
			Day:    "2026-03-01",
			Tokens: 9,
		}})
		if err == nil {
			k.Fatal("an empty memory was kept")
		}
		k.same("nothing", k.spent("2026-03-01"), mem.Spending{Day: "2026-03-01"})
	}},
}

var jobKindTests = []contractTest{
	{"Lease filters by kinds", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{
			{Kind: "slow", Key: "1"},
			{Kind: "quick", Key: "2"},
			{Kind: "slow", Key: "3"},
			{Kind: "other", Key: "4"},
		}})
		of := func(kinds mem.JobKinds) []string {
			k.Helper()
			jobs, err := k.store.Lease(k.Context(), kinds, Clock(), time.Minute, 9)
			if err != nil {
				k.Fatalf("Lease: %v", err)
			}
			keys := []string{}
			for _, j := range jobs {
				keys = append(keys, j.Key)
			}
			return keys
		}
		k.same("an unknown kind", of(mem.JobKinds{Only: []string{"none"}}), []string{})
		k.same("others than the slow ones", of(mem.JobKinds{Except: []string{"slow"}}), []string{"2", "4"})
		k.same("the slow ones", of(mem.JobKinds{Only: []string{"slow"}}), []string{"1", "3"})
		k.same("all are taken", of(mem.JobKinds{}), []string{})
	}},
	{"Jobs lists the jobs of a kind, leased and dead ones too", func(k kit) {
		k.apply(mem.Batch{Jobs: []mem.Job{
			{Kind: "a", Session: "one", Key: "1"},
			{Kind: "b", Key: "2"},
			{Kind: "a", Key: "3", NotBefore: later(time.Hour)},
		}})
		k.lease(0, 1)
		k.apply(mem.Batch{FailedJobs: []mem.Job{{ID: "j_3", Error: "boom", Dead: true}}})
		got, err := k.store.Jobs(k.Context(), "a", 9)
		if err != nil {
			k.Fatalf("Jobs: %v", err)
		}
		k.same("jobs", got, []mem.Job{
			{ID: "j_1", Kind: "a", Session: "one", Key: "1", Attempts: 1, Created: Clock()},
			{ID: "j_3", Kind: "a", Key: "3", Created: Clock(), Error: "boom", Dead: true},
		})
		if got, _ = k.store.Jobs(k.Context(), "a", 1); len(got) != 1 {
			k.Errorf("%d jobs, want no more than 1", len(got))
		}
	}},
}
