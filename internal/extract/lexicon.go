package extract

import (
	_ "embed"
	"sync"

	"remanence/internal/lang"
)

//go:embed lexicon.tsv
var lexiconTable string

// The classes of lexicon.tsv.
const (
	cueCause uint8 = iota
	cueReason
	cueFix
	cueDecide
	cueAgainst
	cueContrast
	cueNorm
	cueWarn
	cueLimit
	cueOpen
	cueClosed
	cueDisabled
	cueForNow
	cueConvention
	cueTradeOff
	cueHowto
	cuePlace
	cueFind
	cueNarrate
	cueOffer
	cuePraise
	cueVerify
	cueInventory
	cueHedge
	cueThought
	cueMeant
	cueIdeas
	cueReport
	cueApology
	cueTakenBack
	cueAbandoned
	cuePast
	cueSelf
	cuePoints
	cueTask
	cuePrefer
	cueOwn
	cueWish
	cueRemember
	cueReverse
	cueGeneric
	cueMeta
	cueChecks
	cueHere
	cueVolunteer
	cueCondition
	cueDenial
	cueLooks
	cueCommits
	cueTests
)

func cueNames() []string {
	return []string{
		"cause", "reason", "fix", "decide", "against", "contrast", "norm", "warn", "limit", "open", "closed", "disabled",
		"fornow", "convention", "tradeoff", "howto", "place", "find", "narrate", "offer", "praise", "verify", "inventory",
		"hedge", "thought", "meant", "ideas", "report", "apology", "takenback", "abandoned", "past", "self", "points",
		"task", "prefer", "own", "wish", "remember", "reverse", "generic", "meta", "checks", "here",
		"volunteer", "condition", "denial", "looks", "commits", "tests",
	}
}

var (
	lexiconOnce sync.Once
	lexiconRead *lang.Lexicon
)

// cuesIn returns the cues of a sentence as lang.CueText returns it. The table is parsed
// at first use, so that the start of a hook process does not pay for it.
func cuesIn(bare string) lang.Found {
	lexiconOnce.Do(func() {
		x, err := lang.ParseLexicon(lexiconTable, cueNames())
		if err != nil {
			x, _ = lang.ParseLexicon("", cueNames()) // the table is tested to be right
		}
		lexiconRead = x
	})
	return lexiconRead.Find(bare)
}
