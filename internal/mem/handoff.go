package mem

import "time"

// ContextUsage is one reading of a session's context usage from the agent's transcript.
type ContextUsage struct {
	Session           string
	Tokens            int       // of the main conversation's newest message; 0 if none since the last compaction
	At                time.Time // of that message; if there is none, when the transcript was read
	Model             string    // model of that message
	Window            int       // size of the context window in tokens; 0 if the client does not report it
	AutoCompactTokens int       // tokens at the last automatic compaction; 0 if there was none
	Rearm             bool      // usage is low enough that a handoff is requested again when it rises
	ReadAt            time.Time // when the transcript was read
}
