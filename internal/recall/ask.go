package recall

import (
	"time"

	"remanence/internal/mem"
)

// SearchRequest asks for memories by words or, without text, by filters alone.
type SearchRequest struct {
	mem.ProjectRef
	Query mem.Query `json:"query"`
	// features of the ranking to leave out, by the names of their parts; for measuring
	Without []string `json:"without,omitempty"`

	Strategy Strategy `json:"strategy,omitempty"` // "" means Auto

	// Facets also counts what was found by kind, project and more, and says where
	// the words stand in it.
	Facets bool `json:"facets,omitempty"`
}

// Strategy is how a search looks for words. Without words it does not count.
type Strategy string

// The strategies. Where there are no vectors, or that of the question is not to be had, all are ByKeyword.
const (
	Auto      Strategy = "auto"    // by words, and by meaning where there are vectors
	ByKeyword Strategy = "keyword" // by words alone
	ByVector  Strategy = "vector"  // by meaning alone
	Hybrid    Strategy = "hybrid"  // by both; as Auto, but says so where there are no vectors
)

// Strategies lists them all.
func Strategies() []Strategy { return []Strategy{Auto, ByKeyword, ByVector, Hybrid} }

// SearchResponse is a page of memories that a search found.
type SearchResponse struct {
	Project mem.Project              `json:"project"`
	Hits    []mem.Hit                `json:"results"`
	Next    string                   `json:"next,omitempty"`  // offset of the next page; "" if this is the last one
	Stale   map[string]mem.Freshness `json:"stale,omitempty"` // of hits that are tied to files, by id; others have none
	// Searched counts the memories that were searched; 0 if counting would take longer.
	Searched int       `json:"searched"`
	TookMS   float64   `json:"took_ms"`
	Terms    []string  `json:"terms"`
	At       time.Time `json:"at"`
	Warning  string    `json:"warning,omitempty"` // what was asked for and could not be done

	// with SearchAsk.Facets: by kind, project, agent, branch, trust, status, dir
	Facets  map[string][]mem.Count `json:"facets,omitempty"`
	Counted int                    `json:"counted,omitempty"` // the best matches, which Facets count
	Marks   map[string]Marks       `json:"marks,omitempty"`   // with SearchAsk.Facets, by id of the hit
}

// Marks says where the words of a search stand in a hit: from and to, in UTF-16
// units, ascending.
type Marks struct {
	Title   [][2]int `json:"title,omitempty"`
	Excerpt string   `json:"excerpt,omitempty"` // of the body, around the first word
	In      [][2]int `json:"in,omitempty"`      // the excerpt
}
