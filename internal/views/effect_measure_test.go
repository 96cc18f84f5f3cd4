package views

import (
	"context"
	"testing"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// counts returns the counts of n sessions, in every third of which one more is counted.
func counts(n, part, of int) []EffectCount {
	out := make([]EffectCount, n)
	for i := range out {
		out[i] = EffectCount{Part: part, Of: of}
		if i%3 == 0 {
			out[i].Part++
		}
	}
	return out
}

func TestADifferenceIsNamedOnlyIfTheSessionsCarryIt(t *testing.T) {
	for name, tt := range map[string]struct {
		used, others []EffectCount
		want         string
	}{
		"none":              {nil, nil, EffectTooFew},
		"few":               {counts(EffectLeast-1, 1, 10), counts(400, 8, 10), EffectTooFew},
		"few others":        {counts(400, 1, 10), counts(EffectLeast-1, 8, 10), EffectTooFew},
		"clearly less":      {counts(EffectLeast, 1, 10), counts(EffectLeast, 6, 10), EffectLess},
		"clearly more":      {counts(40, 6, 10), counts(40, 1, 10), EffectMore},
		"the same":          {counts(40, 4, 10), counts(60, 4, 10), EffectChance},
		"a little, of few":  {counts(EffectLeast, 0, 2), counts(EffectLeast-1, 0, 2), EffectTooFew},
		"one session alone": {append(counts(30, 0, 10), EffectCount{90, 90}), counts(30, 0, 10), EffectChance},
	} {
		m := measure(EffectReads, tt.used, tt.others)
		if m.Verdict != tt.want {
			t.Errorf("%s: %s (%.3f to %.3f), want %s", name, m.Verdict, m.Low, m.High, tt.want)
		}
		if m.Verdict == EffectTooFew && (m.Low != 0 || m.High != 0) {
			t.Errorf("%s: bounds %.3f to %.3f of too few", name, m.Low, m.High)
		}
	}
}

func TestTheValueOfAGroupWeighsWhatOccurred(t *testing.T) {
	m := measure(EffectFailures, []EffectCount{{1, 1}, {0, 9}}, nil)
	if m.Used != (EffectGroup{Sessions: 2, Part: 1, Of: 10, Value: 0.1}) || m.Others != (EffectGroup{}) {
		t.Errorf("got %+v and %+v", m.Used, m.Others)
	}
}

// receiptStore has n receipts of one session.
type receiptStore struct {
	mem.Store
	n  int
	at time.Time
}

func (s receiptStore) Receipts(_ context.Context, q mem.ReceiptQuery) (out []mem.Receipt, err error) {
	for i := q.Offset; i < min(s.n, q.Offset+q.Limit); i++ {
		out = append(out, mem.Receipt{Session: "s", Tokens: 1, At: s.at})
	}
	return out, nil
}

func (receiptStore) List(context.Context, mem.Query) ([]mem.Memory, error) { return nil, nil }

func TestAllReceiptsAreCountedAlsoIfSessionsWereCut(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	events := event.New(event.Config{Now: func() time.Time { return at }})
	for n, cut := range map[int]bool{600: false, 1500: true} {
		e := &effect{
			Service: New(Config{Store: receiptStore{n: n, at: at}, Event: events}), since: at,
			sessions: map[string]*effectSession{"s": {counts: map[string]EffectCount{}}},
		}
		e.out.Cut, e.out.Days = cut, 1
		if err := e.readUses(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := e.sessions["s"].counts[EffectInjected].Part; got != n || e.out.Cut != cut {
			t.Errorf("cut %v: %d tokens, want %d; cut after: %v", cut, got, n, e.out.Cut)
		}
	}
}
