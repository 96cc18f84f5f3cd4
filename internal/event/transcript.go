package event

import (
	"context"

	"remanence/internal/mem"
)

// Archive keeps what was said in sessions, redacted, outside the store.
type Archive interface {
	// Take takes in what a transcript says of a session since the last time, each
	// thing once. judge is asked for each, in order, and may fill in its turn and
	// its time; where it wants to be asked again the rest is left for then. A
	// transcript that is not there says nothing.
	Take(ctx context.Context, s mem.Session, transcript string,
		judge func(*mem.ArchivedUtterance) mem.Verdict) (mem.TranscriptImport, error)
	// Said gives out what is kept of a session, oldest first, some at a time: what
	// was said after the one of an id, all if it is not there. What it gives out
	// is not taken away before give returns.
	Utterances(ctx context.Context, s mem.Session, after string, give func([]mem.ArchivedUtterance) error) error
	// Each gives out what is kept of all sessions and changes nothing.
	Each(ctx context.Context, give func(mem.ArchivedUtterance)) error
	// Rewrite keeps what change makes of each thing said in a session, or in all
	// without one, and nothing of it where change says no.
	Rewrite(ctx context.Context, session string, change func(mem.ArchivedUtterance) (mem.ArchivedUtterance, bool)) error
}

// JobTranscript is the kind of job that takes in what a transcript says. One of
// each of the following keys waits in a session.
const JobTranscript = "transcript"
