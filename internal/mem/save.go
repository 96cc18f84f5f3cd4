package mem

// Taken is what was taken in of a session's transcript.
type Taken struct {
	There bool `json:"there"` // the transcript is
	Said  int  `json:"said"`  // things said that were not there before
	Bad   int  `json:"bad"`   // lines that are no record, or too long, so far
}
