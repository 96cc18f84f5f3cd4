package rank

import "testing"

func BenchmarkRecall(b *testing.B) {
	store := bigStore(b)
	q := Ask{Terms: Terms("why did the session lock in auth/session.go race with the login handler"), Now: now}
	q.Corpus = count(store, q.Terms)
	hits := match(store, q.Terms, Candidates)
	b.ReportAllocs()
	for b.Loop() {
		Floor(q, Rerank(q, hits))
	}
}
