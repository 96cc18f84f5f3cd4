package mem

// Taken counts what was read from a session's transcript.
type Taken struct {
	There bool `json:"there"` // the transcript exists
	Said  int  `json:"said"`  // new utterances
	Bad   int  `json:"bad"`   // lines that are malformed or too long, over all reads
}
