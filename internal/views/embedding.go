package views

// Embedding is the state of the embedding server and its vectors.
type Embedding struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	URL      string `json:"url"`             // without credentials
	Vectors  int    `json:"vectors"`         // memories with a vector, in all projects
	Error    string `json:"error,omitempty"` // of the newest request, if it failed
}
