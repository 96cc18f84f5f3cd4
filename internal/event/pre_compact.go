package event

import (
	"encoding/json"
	"path"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// JobSnapshot is the kind of job that stores the last words before a compaction.
const JobSnapshot = "snapshot" // keep the newest words before a compaction

// JobDigest is the kind of job that digests a turn from its transcript.
const JobDigest = "digest" // digest a turn whose words came only with the transcript

// TranscriptLag is how long after Stop a transcript may be read: the client
// writes its last lines up to a quarter of a second late.
const TranscriptLag = time.Second

// OwnTranscript reports whether the event names the record of its own session.
// Any other file may be anybody's, and is not read.
func OwnTranscript(ev mem.Event) bool {
	return path.Base(extract.Slashed(ev.Transcript)) == ev.Session+".jsonl"
}

// JobData carries the event that asked for the job, without its bulk.
func JobData(ev mem.Event) string {
	ev.Input, ev.Response, ev.Text = nil, nil, ""
	b, err := json.Marshal(ev)
	if err != nil {
		return ""
	}
	return string(b)
}
