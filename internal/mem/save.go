package mem

// TranscriptImport counts what was read from a session's transcript.
type TranscriptImport struct {
	Found      bool `json:"there"`      // the transcript exists
	Utterances int  `json:"utterances"` // new utterances
	BadLines   int  `json:"bad"`        // lines that are malformed or too long, over all reads
}
