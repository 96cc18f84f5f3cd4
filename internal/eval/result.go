package eval

import (
	"slices"
	"strconv"
	"time"
)

// Result is the outcome of a run. Recall, Any, MRR and NDCG are means over the
// questions that were scored, 0…1. What was not measured is null in JSON.
type Result struct {
	Suite   string   `json:"suite"`
	Units   int      `json:"units"`
	Queries int      `json:"queries"` // that were scored on units
	Skipped int      `json:"skipped"` // that no unit answers
	Without []string `json:"without"` // features of the ranking that were left out
	Scores
	ByCategory map[string]Scored `json:"by_category"`
	Sessions   *SessionScores    `json:"sessions"` // null where no unit was said in a session
	Injections *Injections       `json:"told"`     // null where it was not measured
	False      *False            `json:"false_injections"`
	Latency    *Latency          `json:"latency_ms"` // null where nothing was asked
	IndexS     float64           `json:"index_s"`    // seconds that it took to keep the units
	DBBytes    int64             `json:"db_bytes"`
	Questions  []QuestionScore   `json:"questions,omitempty"` // that were scored on units, for Compare
}

// Scores are the measures of found units, the first two by cutoff. All are nil
// where no question was scored.
type Scores struct {
	Recall map[string]float64 `json:"recall"`
	Any    map[string]float64 `json:"any"`
	MRR    *float64           `json:"mrr"`
	NDCG   *float64           `json:"ndcg_10"`
}

// Scored are scores and over how many questions they are.
type Scored struct {
	Queries int `json:"queries"`
	Scores
}

// SessionScores are the measures of sessions, each at the place of its best unit.
type SessionScores struct {
	Queries int                `json:"queries"`
	Recall  map[string]float64 `json:"recall"`
	Any     map[string]float64 `json:"any"`
	NDCG    float64            `json:"ndcg_10"`
}

// Injections is how often anything is injected with a suite's own questions, given as prompts, and how often an answer.
type Injections struct {
	Queries  int     `json:"queries"`
	Any      float64 `json:"any"`      // share with an injection
	Relevant float64 `json:"relevant"` // share with an answer in it
}

// False counts the prompts with which something is injected, but should not be.
type False struct {
	PromptCount
	ByClass map[string]PromptCount `json:"by_class"`
}

// PromptCount counts prompts, and those with an injection.
type PromptCount struct {
	Prompts  int     `json:"prompts"`
	Injected int     `json:"injected"`
	Share    float64 `json:"share"` // of Prompts
}

func (t *PromptCount) add(injected bool) {
	t.Prompts++
	if injected {
		t.Injected++
	}
	t.Share = float64(t.Injected) / float64(t.Prompts)
}

// Latency is of one question, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// tally sums measures up until their means are asked for.
type tally struct {
	n           int
	recall, any []float64 // by cutoff
	mrr, ndcg   float64
}

func newTally() *tally {
	n := len(Cutoffs())
	return &tally{recall: make([]float64, n), any: make([]float64, n)}
}

func (t *tally) add(found []string, relevant map[string]float64) {
	t.n++
	for i, k := range Cutoffs() {
		t.recall[i] += RecallAt(found, relevant, k)
		t.any[i] += AnyAt(found, relevant, k)
	}
	t.mrr += ReciprocalRank(found, relevant)
	t.ndcg += NDCGAt(found, relevant, ndcgAt)
}

func (t *tally) scored() Scored {
	if t.n == 0 {
		return Scored{}
	}
	n := float64(t.n)
	s := Scored{t.n, Scores{
		Recall: map[string]float64{}, Any: map[string]float64{}, MRR: new(t.mrr / n),
		NDCG: new(t.ndcg / n),
	}}
	for i, k := range Cutoffs() {
		s.Recall[strconv.Itoa(k)], s.Any[strconv.Itoa(k)] = t.recall[i]/n, t.any[i]/n
	}
	return s
}

// latency is nil where nothing was asked.
func latency(took []time.Duration) *Latency {
	if len(took) == 0 {
		return nil
	}
	slices.Sort(took)
	return &Latency{P50: percentile(took, 0.5), P95: percentile(took, 0.95)}
}
