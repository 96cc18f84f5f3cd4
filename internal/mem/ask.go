package mem

// ProjectRef selects the project of a request. Project is a key, a name or "all";
// if it is empty, the project of Dir is meant. The zero value means all projects.
type ProjectRef struct {
	Project string `json:"project,omitempty"` // key, unique prefix, name, or "all"
	Dir     string `json:"dir,omitempty"`
}

// ScanResponse is the result of a search for secrets in stored text. It counts
// the secrets and never contains one.
type ScanResponse struct {
	Records     int      `json:"records"`      // records scanned
	WithSecrets int      `json:"with_secrets"` // records with at least one secret
	Finds       []Find   `json:"finds"`        // sorted by place, then kind
	Fixed       bool     `json:"fixed"`        // the secrets were erased from the store's files
	Unreached   []string `json:"unreached"`
}

// Find counts the secrets of one kind in one sort of record.
type Find struct {
	Where string   `json:"where"` // "memories", "events", …
	Kind  string   `json:"kind"`  // as in the redaction marker, or "private" for a private span
	Count int      `json:"count"`
	IDs   []string `json:"ids"` // empty for records without ids
}
