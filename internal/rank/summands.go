package rank

// Summand is what one part of a score counts in the sum.
type Summand struct {
	Part   string
	Weight float64
	Own    bool // it is known of the memory itself, not of its words
}

// Summands lists what a score of such parts is the sum of, the text's before
// the memory's own. PartUse is a factor on the sum of all but PartStale.
func Summands(parts map[string]float64) []Summand {
	if _, said := parts[PartSession]; said {
		return ofTalk
	}
	return ofNotes
}

// Weights are the factors of the parts of a score in its weighted sum. The part
// "authority" is different: it multiplies the sum.
type Weights struct {
	Memories   map[string]float64 `json:"memories"`   // for memories
	Utterances map[string]float64 `json:"utterances"` // for utterances
}

// AllWeights returns the weights of all parts.
func AllWeights() Weights {
	w := Weights{Memories: map[string]float64{}, Utterances: map[string]float64{}}
	for _, s := range ofNotes {
		w.Memories[s.Part] = s.Weight
	}
	for _, s := range ofTalk {
		w.Utterances[s.Part] = s.Weight
	}
	return w
}

// The weights. In a study on other stores values found by fitting many weights
// at once did not carry over, round ones did. What leaving each part out costs
// is in docs/internals/recall.md. What is known of a memory beside its text adds less than
// 1, so that it settles close calls and cannot lift an unrelated one.
var (
	// What was written down. Words count by the field they stand in; the store's
	// own score, which knows no fields, still adds half a point.
	ofNotes = []Summand{
		{PartBM25F, 1, false},
		{PartFTS, 0.5, false},
		{PartProximity, 0.8, false},
		{PartGrams, 0.2, false},
		{PartTitle, 0.3, false},
		{PartVotes, 0.25, false}, // by the same study: two points of nDCG in a history of 38,000 notes
		{PartMeaning, weightCos, false},
		{PartRecency, 0.3, true},
		own[0], own[1], own[2], own[3], own[4], own[5],
	}

	// What was said. The store's own score knows what was said next to it: six
	// points of recall@10 without. The other parts were learnt on chat.
	ofTalk = []Summand{
		{PartFTS, 1, false},
		{PartProximity, 0.8, false},
		{PartSession, 0.5, false},
		{PartGrams, 0.2, false},
		{PartWho, 0.25, false},
		{PartMonth, 0.5, false},
		{PartWhen, 0.5, false},
		{PartQuestion, -0.4, false},
		{PartMeaning, weightCos, false},
		{PartRecency, 0.1, true}, // of talk, 0.3 lost half a point
		own[0], own[1], own[2], own[3], own[4], own[5],
	}

	own = [...]Summand{
		{PartPath, 0.25, true},
		{"strength", 0.15, true},
		{"scope", 0.2, true}, // times the scope's weight in the profile, at most 0.7
		{"branch", 0.05, true},
		{"trust", 0.05, true}, // the person's own words before the assistant's
		{PartStale, -weightStale, true},
	}
)
