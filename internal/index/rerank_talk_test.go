package index

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

func said(who, text string, at time.Time) mem.Hit {
	return mem.Hit{
		Memory: mem.Memory{ID: text, Kind: mem.Utterance, Who: who, Body: text, Session: "one", Created: at},
		Score:  1,
	}
}

func partsOfTalk(question string, h mem.Hit) map[string]float64 {
	return Rerank(rank.Ask{Terms: rank.Terms(question), Text: question}, []mem.Hit{h})[0].Parts
}

func TestTalkIsChosenBySpeakerTimeAndForm(t *testing.T) {
	may := time.Date(2025, 5, 3, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, question string
		hit            mem.Hit
		part           string
		want           float64
	}{
		{"the speaker is named", "what did Caroline paint", said("Caroline", "I painted a lake", may), rank.PartWho, 1},
		{"another one is", "what did Melanie paint", said("Caroline", "I painted a lake", may), rank.PartWho, 0},
		{"user is a word, no name", "which user painted the lake", said("user", "I painted a lake", may), rank.PartWho, 0},
		{"the month is named", "what was painted in May", said("user", "I painted a lake", may), rank.PartMonth, 1},
		{"another month is", "what was painted in June", said("user", "I painted a lake", may), rank.PartMonth, 0},
		{
			"it tells the time asked for", "when was the lake painted", said("user", "I painted the lake yesterday", may),
			rank.PartWhen, 1,
		},
		{"it tells none", "when was the lake painted", said("user", "I painted the lake", may), rank.PartWhen, 0},
		{"it is a question itself", "the painted lake", said("user", "who painted the lake?", may), rank.PartQuestion, 1},
		{"it is none", "the painted lake", said("user", "I painted the lake", may), rank.PartQuestion, 0},
	} {
		if got := partsOfTalk(tt.question, tt.hit)[tt.part]; got != tt.want {
			t.Errorf("%s: %s is %v, want %v", tt.name, tt.part, got, tt.want)
		}
	}
}

func TestASessionThatMeetsMoreOfTheQuestionHelpsItsUtterances(t *testing.T) {
	hits := []mem.Hit{said("a", "the lake", noon), said("a", "the canvas", noon), said("a", "the lake again", noon)}
	hits[2].Memory.Session = "two"
	got := Rerank(rank.Ask{Terms: rank.Terms("lake canvas")}, hits)
	for _, h := range got {
		if whole := h.Memory.Session == "one"; (h.Parts[rank.PartSession] == 1) != whole {
			t.Errorf("%q: session part %v", h.Memory.ID, h.Parts[rank.PartSession])
		}
	}
}

func TestTheEndOfALongUtteranceCounts(t *testing.T) {
	h := said("assistant", strings.Repeat("some other words of the talk ", 50)+"the walrus lives in the aquarium", noon)
	q := rank.Ask{Terms: rank.Terms("does the walrus live in the aquarium"), Corpus: mem.Corpus{Size: 300}}
	if kept, _ := rank.Floor(q, Rerank(q, []mem.Hit{h}), rank.LeastRelevance, nil); len(kept) != 1 {
		t.Error("the end of an utterance was not read")
	}
}
