package eval

import (
	"math/rand/v2"
	"slices"
)

// QuestionScore holds the measures of one question, by which Compare pairs two runs.
type QuestionScore struct {
	ID     string  `json:"id"`
	Recall float64 `json:"recall_10"`
	Any    float64 `json:"any_10"`
	NDCG   float64 `json:"ndcg_10"`
}

func scoreOf(id string, found []string, relevant map[string]float64) QuestionScore {
	return QuestionScore{
		id, RecallAt(found, relevant, 10), AnyAt(found, relevant, 10), NDCGAt(found, relevant, ndcgAt),
	}
}

// Interval bounds a change with a confidence of 95 %.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	resamples = 2000
	outside   = 0.025 // share of the resamples beyond each bound
)

// intervals returns the intervals of the changes of the measures that QuestionScore has, by their names. It is empty
// unless both runs scored the same questions.
func intervals(before, after []QuestionScore) map[string]Interval {
	was := make(map[string]QuestionScore, len(before))
	for _, q := range before {
		was[q.ID] = q
	}
	if len(before) < 2 || len(was) != len(before) || len(after) != len(before) {
		return nil
	}
	changes := map[string][]float64{}
	for _, q := range after {
		b, ok := was[q.ID]
		if !ok {
			return nil
		}
		delete(was, q.ID)
		changes["recall.10"] = append(changes["recall.10"], q.Recall-b.Recall)
		changes["any.10"] = append(changes["any.10"], q.Any-b.Any)
		changes["ndcg_10"] = append(changes["ndcg_10"], q.NDCG-b.NDCG)
	}
	out := map[string]Interval{}
	for name, list := range changes {
		out[name] = bootstrap(list)
	}
	return out
}

// bootstrap returns the interval of the mean of changes by the percentile method (Efron and Tibshirani 1993): the
// bounds of the means of resamples of as many changes, drawn with replacement, the same in every run.
func bootstrap(changes []float64) Interval {
	r := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		for range changes {
			means[i] += changes[r.IntN(len(changes))]
		}
		means[i] /= float64(len(changes))
	}
	slices.Sort(means)
	beyond := int(outside * resamples)
	return Interval{means[beyond], means[resamples-1-beyond]}
}
