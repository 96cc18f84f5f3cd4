package engine_test

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/curate"
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
		{queue, "Don't use Postgres instead of SQLite for the job queue.", false},
		{"Never commit secrets to the config repository.", "Let's keep the secrets documentation in the config " +
			"repository after all.", false},
		{"Do not run migrations against the production database.", "let's run the database migrations in the test " +
			"step after all", false},
		{"Log with slog instead of fmt.Println in the worker.", "let's print the usage with fmt.Println in the help of " +
			"the worker after all", false},
		{"Deploy to staging before production, always.", "We changed the bucket, always copy the assets from staging " +
			"to production.", false},
		{"The API returns errors as JSON by design.", "The CLI prints tables instead of JSON for errors from now on.", false},
		{s3, "let's put the thumbnails of the attachments on S3 after all", false},
		{s3, "let's put the attachments on S3 after all", true},
		{queue, "The job queue must log each job instead of each batch.", false},
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "where does it go"))
		s.knows(mem.Decision, tt.then)
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

// The words of a reversal need not name what was decided before, nor be a statement by themselves.
func TestAReversalGivesAnotherAnswer(t *testing.T) {
	const disk = "We keep attachments on local disk, since the bucket has no quota."
	const queue = "The job queue uses SQLite, since one worker reads it."
	for _, tt := range []struct {
		then, answer, now string
		kept              string // what is in its place; "" if it stays
	}{
		{disk, "", "let's put the attachments on S3 after all, the disks fill up", "the attachments on S3 after all"},
		{disk, "", "Actually, put attachments on S3, the disks fill up", "put attachments on S3"},
		{disk, "", "Put attachments in Postgres instead.", "attachments in Postgres"},
		{
			disk, "", "The attachments fill the disks. let's put them on S3 after all",
			"let's put them on S3 after all. The attachments fill the disks.",
		},
		{disk, "Attachments take 40 GB of the disk now.", "put them on S3 after all", "attachments: put them on S3"},
		{queue, "", "let's use Postgres for the job queue after all", "Postgres for the job queue"},
		{"Die Anhänge liegen auf der lokalen Platte.", "", "Lass uns die Anhänge doch auf S3 legen", "doch auf S3"},
		{"Les pièces jointes restent sur le disque local.", "", "Finalement, mets les pièces jointes sur S3", "sur S3"},
		{"The request timeout is 30 seconds.", "", "set the request timeout to 60 seconds instead", "60 seconds"},
		{"The kiosk waits for 90 seconds.", "", "From now on the kiosk waits for 60 seconds.", "60 seconds"},
		{"The kiosk waits for 90 seconds.", "", "In this project the kiosk waits for 60 seconds.", ""},

		{disk, "", "let's put the thumbnails on S3 after all", ""},
		{disk, "", "should we put attachments on S3 after all?", ""},
		{disk, "", "let's keep attachments on the local disk after all", ""},
		{disk, "The thumbnails take 40 GB of the disk now.", "put them on S3 after all", ""},
		{"Invoices are synced from Postgres to S3.", "", "let's sync invoices from S3 to Postgres after all", ""},
		{"Step 2 of the release uses Postgres.", "", "Step 3 of the release uses Postgres after all", ""},
		{"The API calls the worker.", "", "let the worker call the API after all", ""},
	} {
		for _, session := range []string{"two", ""} {
			s := newStage(t)
			id := s.remember(curate.AddRequest{Text: tt.then, Kind: mem.Decision}).ID
			s.play(start("startup"), prompt("p1", "how large is it"), stop("p1", "It is small."))
			events := []mem.Event{prompt("p2", tt.now), stop("p2", "Understood, I'll take care of that.")}
			if tt.answer != "" {
				events = append([]mem.Event{prompt("p0", "what is new"), stop("p0", tt.answer)}, events...)
			}
			if session != "" {
				events = in(session, append([]mem.Event{start("startup")}, events...)...)
			}
			s.play(events...)
			if over := s.memory(id).Status == mem.Superseded; over != (tt.kept != "") {
				t.Errorf("%q after %q, session %q: over %v", tt.now, tt.then, session, over)
			}
			all := must(s.store.List(t.Context(), mem.Query{Project: "p_shop", Within: "*", Limit: 20}))
			if !slices.ContainsFunc(all, func(m mem.Memory) bool {
				return tt.kept == "" || m.Supersedes == id && strings.Contains(m.Text(), tt.kept)
			}) {
				t.Errorf("%q, session %q: nothing says %q:\n%s", tt.now, session, tt.kept, titles(all))
			}
		}
	}
}

// "Them" ends nothing where it may stand for two things.
func TestAPronounThatFitsTwoDecisionsEndsNone(t *testing.T) {
	for now, over := range map[string]bool{
		"The attachments fill the disk. Put them on S3 after all.":            true,
		"The attachments and previews fill the disk. Put them on S3 instead.": false,
	} {
		s := newStage(t)
		a := s.knows(mem.Decision, "We keep attachments on local disk.")
		s.knows(mem.Decision, "We keep previews on local disk.")
		s.play(start("startup"), prompt("p1", now), stop("p1", "Understood, I'll take care of that."))
		if got := s.memory(a).Status == mem.Superseded; got != over {
			t.Errorf("%q: over %v", now, got)
		}
	}
}

// Sessions of the past are read in after later ones.
func TestADecisionOfThePastThatWasReversedSinceIsOver(t *testing.T) {
	for now, over := range map[string]bool{
		"Use Postgres instead of SQLite for the job queue from now on.": true,
		"Use Postgres instead of SQLite for the reports from now on.":   false,
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p2", now), stop("p2", "Understood, I'll take care of that."))
		s.clock = s.clock.AddDate(0, -1, 0)
		for _, e := range []mem.Event{
			start(mem.Backfilled), prompt("p1", "where do jobs go"),
			stop("p1", "I decided that the job queue uses SQLite, since one worker reads it."),
		} {
			e.Session, e.Recovered = "past", true
			s.play(e)
		}
		all := must(s.store.List(t.Context(), mem.Query{
			Session: "past", Within: "*", Hidden: true, Kinds: []mem.Kind{mem.Decision},
		}))
		if len(all) != 1 || (all[0].Status == mem.Superseded) != over {
			t.Errorf("%q: over %v, want %v:\n%s", now, !over, over, titles(all))
		}
	}
}

// A reversal ends every older decision or rule that it is about, but for pinned ones and those of all projects. Only
// the person ends them.
func TestAReversalEndsWhatItMay(t *testing.T) {
	const then, now = "The job queue uses SQLite here.", "Use Postgres instead of SQLite for the job queue from now on."
	for name, tt := range map[string]struct {
		kind  mem.Kind
		scope mem.Scope
		pin   bool
		said  mem.Event // with the second prompt
		over  bool
	}{
		"a decision":   {mem.Decision, "", false, prompt("p2", now), true},
		"a convention": {mem.Convention, "", false, prompt("p2", now), true},
		"a fact":       {mem.Fact, "", false, prompt("p2", now), false},
		"pinned":       {mem.Decision, "", true, prompt("p2", now), false},
		"everywhere":   {mem.Preference, mem.ScopeUser, false, prompt("p2", now), false},
		"by the agent": {mem.Decision, "", false, prompt("p2", "go on with the queue"), false},
	} {
		s := newStage(t)
		id := s.remember(curate.AddRequest{Text: then, Kind: tt.kind, Scope: tt.scope}).ID
		other := s.knows(mem.TradeOff, "The job queue uses SQLite, which is slow.")
		if tt.pin {
			s.marks("pin", id)
		}
		answer := "Understood, I'll take care of that."
		if tt.said.Text != now {
			answer = "Decision: " + now
		}
		s.play(start("startup"), tt.said, stop("p2", answer))
		if got := s.memory(id).Status == mem.Superseded; got != tt.over {
			t.Errorf("%s: over %v, want %v", name, got, tt.over)
		}
		if got := s.memory(other).Status == mem.Superseded; got != (tt.said.Text == now) {
			t.Errorf("%s: the other one is over: %v", name, got)
		}
	}
}
