package views

// Embedding is how it stands with the vectors.
type Embedding struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	URL      string `json:"url"`             // without what may be secret
	Vectors  int    `json:"vectors"`         // memories of any project that have one
	Error    string `json:"error,omitempty"` // of the newest request, if it failed
}
