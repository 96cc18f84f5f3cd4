package rank

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
)

func said(who, text string, at time.Time) mem.Hit {
	return mem.Hit{
		Memory: mem.Memory{ID: text, Kind: mem.Utterance, Who: who, Body: text, Session: "one", Created: at},
		Score:  1,
	}
}

func partsOfTalk(question string, h mem.Hit) map[string]float64 {
	return Rerank(Ask{Terms: Terms(question), Text: question}, []mem.Hit{h})[0].Parts
}

func TestTheMonthOfAQuestion(t *testing.T) {
	for text, want := range map[string]time.Month{
		"what did we do in May?": time.May, "the release of may 8": time.May, "on 3 May we talked": time.May,
		"since last march":     time.March,
		"Maybe we should wait": 0, "may I ask": 0, "MayBeBool is nil": 0, "march through the list": 0,
		"the june release": time.June, "nothing of it": 0,
		"in May or June": time.May,
	} {
		if got := monthIn(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestTalkIsChosenBySpeakerTimeAndForm(t *testing.T) {
	may := time.Date(2025, 5, 3, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, question string
		hit            mem.Hit
		part           string
		want           float64
	}{
		{"the speaker is named", "what did Caroline paint", said("Caroline", "I painted a lake", may), PartWho, 1},
		{"another one is", "what did Melanie paint", said("Caroline", "I painted a lake", may), PartWho, 0},
		{"user is a word, no name", "which user painted the lake", said("user", "I painted a lake", may), PartWho, 0},
		{"the month is named", "what was painted in May", said("user", "I painted a lake", may), PartMonth, 1},
		{"another month is", "what was painted in June", said("user", "I painted a lake", may), PartMonth, 0},
		{
			"it tells the time asked for", "when was the lake painted", said("user", "I painted the lake yesterday", may),
			PartWhen, 1,
		},
		{"it tells none", "when was the lake painted", said("user", "I painted the lake", may), PartWhen, 0},
		{"it is a question itself", "the painted lake", said("user", "who painted the lake?", may), PartQuestion, 1},
		{"it is none", "the painted lake", said("user", "I painted the lake", may), PartQuestion, 0},
	} {
		if got := partsOfTalk(tt.question, tt.hit)[tt.part]; got != tt.want {
			t.Errorf("%s: %s is %v, want %v", tt.name, tt.part, got, tt.want)
		}
	}
}

func TestASessionThatMeetsMoreOfTheQuestionHelpsItsUtterances(t *testing.T) {
	hits := []mem.Hit{said("a", "the lake", now), said("a", "the canvas", now), said("a", "the lake again", now)}
	hits[2].Memory.Session = "two"
	got := Rerank(Ask{Terms: Terms("lake canvas")}, hits)
	for _, h := range got {
		if whole := h.Memory.Session == "one"; (h.Parts[PartSession] == 1) != whole {
			t.Errorf("%q: session part %v", h.Memory.ID, h.Parts[PartSession])
		}
	}
}

func TestTheEndOfALongUtteranceCounts(t *testing.T) {
	h := said("assistant", strings.Repeat("some other words of the talk ", 50)+"the walrus lives in the aquarium", now)
	q := Ask{Terms: Terms("does the walrus live in the aquarium"), Corpus: mem.Corpus{Size: 300}}
	if kept, _, _ := Floor(q, Rerank(q, []mem.Hit{h})); len(kept) != 1 {
		t.Error("the end of an utterance was not read")
	}
}

func TestMergedListsAreOneByScore(t *testing.T) {
	hit := func(id string, score float64) mem.Hit { return mem.Hit{Memory: mem.Memory{ID: id}, Score: score} }
	got := order(Merge([]mem.Hit{hit("a", 3), hit("b", 1)}, []mem.Hit{hit("c", 2), hit("d", 1)}))
	if want := "a c b d"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
