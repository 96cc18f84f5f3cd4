package extract

import (
	"testing"

	"remanence/internal/mem"
)

// Each row that ends nothing is held off by one condition.
func TestOneStatementReversesAnother(t *testing.T) {
	const queue, s3 = "The job queue uses SQLite", "Attachments are kept on disk instead of S3"
	for _, tt := range []struct {
		now, then string
		want      bool
	}{
		{"Use Postgres instead of SQLite for the job queue", queue, true},
		{"Put attachments on S3 after all", s3, true},
		{"Should we use Postgres instead of SQLite for the job queue?", queue, false},                  // a question
		{"We never use Postgres instead of SQLite for the job queue", queue, false},                    // denied
		{"Use Postgres instead of SQLite for the job queue", "The job queue never uses SQLite", false}, // was not so
		{
			"Use Postgres instead of SQLite for the job queue", // was put aside already
			"The job queue uses Redis instead of SQLite, since the job queue of SQLite is slow", false,
		},
		{"Use Postgres instead of SQLite for reports", queue, false},  // of another thing
		{"The queue has a dashboard instead of SQLite", queue, false}, // one word is shared
		{"Use Postgres instead of SQLite for the job queue", "SQLite holds the job queue, sessions, carts", true},
		{
			"Use Postgres instead of SQLite for the job queue",
			"SQLite keeps prices taxes refunds carts mails labels and the job queue of the shop", false,
		}, // few of many
		{"Keep logs short. Use Postgres instead of SQLite for the job queue.", queue, true},
		{"We switched the job queue from SQLite to Postgres", queue, true},
		{"We copied the job queue from SQLite to Postgres", queue, false},                      // nothing is switched
		{"We switched editors, the job queue is copied from SQLite to Postgres", queue, false}, // another clause
		{"Put attachments on S3 now", s3, false},                                               // no change of course
		{"Put attachments on tape after all", s3, false},                                       // what was not put aside
		{"Use S3 after all", s3, false},                                                        // of what is not said
		{"Put attachments of mails on S3 after all", s3, false},                                // of a part
		{"Use Postgres instead of SQLite for the job queue", "The job queue of SQLite uses Redis instead of SQLite", false},
		{"Use Postgres instead of MySQL for the job queue", queue, false},        // in the place of what it does not have
		{"Use Postgres instead of SQLite for jobs", "SQLite stores jobs", false}, // one word of two
		{"Use Postgres instead of SQLite for the job queue", "The job queue is small. SQLite holds it", false},
		{"Use Postgres instead of SQLite for the job queue", "The job queue is small. SQLite holds it, alone", false},
		{"Attachments on tape after all", s3, false},
		{"Attachments on S3", s3, false},
		{"Put attachments on S3 after all", "Attachments of S3 are kept on disk instead of S3", false}, // S3 is kept, too
	} {
		if got := Reverses(tt.now, tt.then, ""); got != tt.want {
			t.Errorf("%q after %q: %v", tt.now, tt.then, got)
		}
	}
}

func TestNoLayoutIsJudgedWhereIndentationMatters(t *testing.T) {
	for _, ext := range indented {
		if OnlyReformats("file"+ext, "a(b)", "a( b)") {
			t.Errorf("file%s: white space counts for nothing", ext)
		}
	}
}

func TestOnlyASwitchInTheSameClauseDisplaces(t *testing.T) {
	for text, want := range map[string]int{
		"we switched the queue from SQLite to Postgres":               1,
		"we switched editors, the queue goes from SQLite to Postgres": 0,
		"invoices are copied from staging to production":              0,
		"we switched the queue from the old one that was slow to":     0,
	} {
		if gone, _ := displaced(text); len(gone) != want {
			t.Errorf("%q displaces %q", text, gone)
		}
	}
}

// Whether two texts conflict is asked of the person, so a word that two long ones share by chance is not enough.
func TestALongTextIsReplacedByOneAboutMuchOfIt(t *testing.T) {
	gotcha := func(body string) mem.Memory { return mem.Memory{Kind: mem.Gotcha, Project: "p", Body: body} }
	now := gotcha("When impact is evaluated and the linked evaluation no longer exists, a new evaluation is added")
	for then, want := range map[string]bool{
		"Add bloat detection: a new section in completeness.md beside the one that exists on balance, which covers what " +
			"is too short, too verbose, or put in the wrong place, and names examples of each": false,
		"Impact is evaluated anew only if an evaluation exists": true,
	} {
		if got := MayConflict(now, gotcha(then)); got != want {
			t.Errorf("%q: %v, want %v", then, got, want)
		}
	}
}
