package engine_test

import (
	"strings"
	"testing"

	"remanence/internal/mem"
)

// What a person says otherwise later, in any session, ends what was decided before.
func TestAReversedDecisionIsOverInEverySession(t *testing.T) {
	const s3 = "Attachments are kept on the local disk instead of S3, since the bucket has no quota."
	const queue = "The job queue uses SQLite, since one worker reads it."
	for _, tt := range []struct {
		then, now string
		over      bool
	}{
		{s3, "let's put the attachments on S3 after all, the disks fill up", true},
		{s3, "let's keep the thumbnails of attachments in a cache", false},
		{s3, "should we put the attachments on S3 after all?", false},
		{s3, "don't put the attachments on S3 after all", false},
		{queue, "Use Postgres instead of SQLite for the job queue from now on.", true},
		{queue, "We switch the job queue from SQLite to Postgres, because two workers have to share it.", true},
		{queue, "Wir nehmen Postgres statt SQLite für die job queue.", true},
		{queue, "Use Postgres instead of SQLite for the reports from now on.", false},
		{queue, "The job queue must log each job instead of each batch.", false},
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "where does it go"), stop("p1", "Decision: "+tt.then))
		s.play(in("two", start("startup"), prompt("p2", tt.now), stop("p2", "Understood, I'll take care of that."))...)
		all := must(s.store.List(t.Context(), mem.Query{
			Project: "p_shop", Within: "*", Hidden: true, Kinds: []mem.Kind{mem.Decision}, Limit: 20,
		}))
		found := false
		for _, mm := range all {
			if !strings.Contains(mm.Text(), tt.then[:12]) {
				continue
			}
			found = true
			if over := mm.Status == mem.Superseded; over != tt.over {
				t.Errorf("%q after %q: over %v, want %v", tt.now, tt.then, over, tt.over)
			}
		}
		if !found {
			t.Errorf("%q was not kept:\n%s", tt.then, titles(all))
		}
	}
}
