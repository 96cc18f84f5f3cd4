package event

import (
	"context"

	"remanence/internal/mem"
)

// Archive stores the utterances of sessions, redacted, outside the store.
type Archive interface {
	// Take reads the utterances that a transcript has gained since the last call, each once. judge is called for
	// each, in order, and may set its turn and time; after Defer, the rest is left for the next call. A missing
	// transcript has no utterances.
	Take(ctx context.Context, s mem.Session, transcript string,
		judge func(*mem.ArchivedUtterance) mem.Verdict) (mem.TranscriptImport, error)
	// Utterances passes the archived utterances of a session to give, oldest first, in chunks: those after the one
	// with the id after, or all if it is not found. They are not deleted before give returns.
	Utterances(ctx context.Context, s mem.Session, after string, give func([]mem.ArchivedUtterance) error) error
	// Each passes the archived utterances of all sessions to give and changes nothing.
	Each(ctx context.Context, give func(mem.ArchivedUtterance)) error
	// Rewrite replaces each utterance of a session, or of all sessions if it is empty, by the result of change,
	// and deletes those for which change returns false.
	Rewrite(ctx context.Context, session string, change func(mem.ArchivedUtterance) (mem.ArchivedUtterance, bool)) error
}

// JobTranscript is the kind of job that imports a transcript. One job for each of the following keys waits in a
// session.
const JobTranscript = "transcript"
