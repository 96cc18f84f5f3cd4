package mem

// Place says which project a question or an order is about: a key, a name or
// "all", else the project of the directory. The zero value means all projects.
type Place struct {
	Project string `json:"project,omitempty"` // key, unique prefix, name, or "all"
	Dir     string `json:"dir,omitempty"`
}

// Weights are what the parts of a score count in its sum. The part "authority"
// is a factor on it.
type Weights struct {
	Kept map[string]float64 `json:"kept"` // of memories
	Said map[string]float64 `json:"said"` // of what was said in a session
}

// Scanned is what a search for secrets found. It never holds what was found.
type ScanResponse struct {
	Records   int      `json:"records"` // looked at
	Held      int      `json:"held"`    // of them, those that held anything
	Finds     []Find   `json:"finds"`   // by place, then kind
	Fixed     bool     `json:"fixed"`   // it is gone, without a byte left
	Unreached []string `json:"unreached"`
}

// Find counts the secrets of one kind in one sort of record.
type Find struct {
	Where string   `json:"where"` // "memories", "events", …
	Kind  string   `json:"kind"`  // as in the marker; Private for a private span
	Count int      `json:"count"`
	IDs   []string `json:"ids"` // of a few of the records, where those have ids
}
