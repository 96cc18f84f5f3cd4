package event

import (
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Profile is a set of defaults: how much is told, and when.
type Profile string

// The profiles. Silent captures and tells nothing.
const (
	Lean   Profile = "lean"
	Full   Profile = "full"
	Silent Profile = "silent"
)

// Settings are the choices of the person that the engine honours.
type Settings struct {
	Profile Profile
	Budgets Budgets

	Observations    int  // rows of the index in a briefing; 0 means no index
	Sessions        int  // session rows in the index
	Glyphs          bool // show kinds as glyphs
	SessionTokens   int  // told between two compactions at most; beyond it only the state line and the restore
	ReceiptLine     bool // one line to the person at session start
	StateLineRule   StateLineRule
	StateLineTokens int
	NoteRequests    bool // ask the agent for a note after a turn that left none

	MaxMemories    int // told with a prompt
	MaxChunks      int // pieces of conversations told with a prompt, beside memories
	MinPromptChars int
	Use            rank.Use // how past use counts

	Vault VaultSettings

	EmbedWait   time.Duration // for the vector of a question; 0 means DefaultEmbedWait
	VectorFloor float64       // how near a memory must be that shares no word with a prompt; 0 means rank.DefaultNear

	Window        int // tokens the context can hold; 0 means as the client or the model says
	Handoff       HandoffRules
	DigestTokens  int       // what a model may be asked for on a day; 0 means nothing
	DigestTrust   mem.Trust // no turn is shown to a model whose trust is lower
	DigestExclude []string  // globs on the root, or exact keys or names, of projects that no model sees

	SkipTools       []string // exact names that make no observation
	ExcludeTools    []string // globs; not captured at all
	ExcludePaths    []string // globs; a call on one is not captured
	ExcludeProjects []string // globs on the root, or exact keys or names

	RetentionDays int // payloads of events are dropped after; 0 means never
	HideDays      int // what was forgotten is erased after; 0 means never
}

// VaultSettings say what of the vault a session starts with.
type VaultSettings struct {
	TopK     int      // weighted memories; 0 means none
	Critical []string // files that are always told, beside those that say so themselves; as vaultfile.Path takes them
	LogLines int      // of the end of the journal; 0 means none
}

// StateLineRule says when the state line is given with a prompt.
type StateLineRule string

// The rules.
const (
	StateLineOnChange StateLineRule = "change"
	StateLineAlways   StateLineRule = "always"
	StateLineNever    StateLineRule = "never"
)

// Budgets are ceilings in tokens; 0 switches a place off.
type Budgets struct {
	SessionStart, Resume, Compact, UserPrompt int
	Read, Write, Bash, Task                   int
}

// Defaults are the settings of a profile before the person changed any.
func Defaults(p Profile) Settings {
	s := Settings{
		Profile: p,
		Budgets: Budgets{
			SessionStart: 1200, Resume: 300, Compact: 2000, UserPrompt: 300, Read: 120, Write: 120,
			Bash: 120, Task: 400,
		},
		Observations: 50, Sessions: 10, Glyphs: true, SessionTokens: 12000,
		StateLineRule: StateLineOnChange, StateLineTokens: 60, NoteRequests: true,
		MaxMemories: 4, MaxChunks: 2, MinPromptChars: 8,
		Vault:         VaultSettings{TopK: 10, LogLines: 40},
		SkipTools:     []string{"ListMcpResourcesTool", "SlashCommand", "Skill", "TodoWrite"},
		RetentionDays: 90, HideDays: 30, Handoff: defaultHandoff,
		ExcludePaths: []string{
			"**/.env", "**/.env.*", "**/*.pem", "**/*.key", "**/id_rsa*", "**/id_ed25519*", "**/.ssh/**",
			"**/.aws/credentials", "**/.netrc", "**/.pgpass", "**/.npmrc",
		},
	}
	if p == Full {
		s.Budgets = Budgets{
			SessionStart: 2000, Resume: 2000, Compact: 2000, UserPrompt: 1500, Read: 500, Write: 500,
			Bash: 300, Task: 800,
		}
		s.StateLineRule = StateLineAlways
	}
	return s
}

// defaultHandoff are the rules before the person changed any.
var defaultHandoff = HandoffRules{
	Threshold: 0.85, Rearm: 0.50, SampleEvery: 12 * time.Second,
	MaxAge: 7 * 24 * time.Hour,
}

// WithoutInjection are the settings with everything off that tells the model something.
func (s Settings) WithoutInjection() Settings {
	s.Budgets, s.StateLineRule, s.Handoff.Threshold = Budgets{}, StateLineNever, 0
	return s
}

// OfStart is the ceiling of a briefing for a SessionStart source.
func (b Budgets) OfStart(source string) int {
	switch source {
	case "compact":
		return b.Compact
	case "resume", "fork":
		return b.Resume
	default:
		return b.SessionStart
	}
}

// Told reports whether more may be told to the session before its next compaction.
func (s Settings) MayInject(session mem.Session) bool {
	return s.SessionTokens <= 0 || session.InjectedTokens < s.SessionTokens
}

// KeptSince is the time from which on what agents reported word for word is
// kept; ok is false where all of it is.
func (e *Service) KeptSince() (t time.Time, ok bool) { return e.DaysAgo(e.Settings().RetentionDays) }

// maxDays is as good as never, and still a date.
const maxDays = 36500

// DaysAgo is a number of days before now; ok is false where that means never.
func (e *Service) DaysAgo(days int) (t time.Time, ok bool) {
	return e.Now().AddDate(0, 0, -min(days, maxDays)), days > 0 && days < maxDays
}

// JobFill is the kind of job that looks how full the context of a session is.
const JobFill = "fill"

// HandoffRules say when a handoff is asked for and told.
type HandoffRules struct {
	Threshold   float64       // share of the window from which one is asked for; 0 is never
	Rearm       float64       // share below which it will be asked for again
	SampleEvery time.Duration // how often a session's context is looked at, at most
	MaxAge      time.Duration // an older one is not told to a new session; 0 is never
}

// ThresholdOf is a share that can be: one that cannot is the default.
func (h HandoffRules) ThresholdOf() float64 {
	if h.Threshold >= 0 && h.Threshold <= 1 {
		return h.Threshold
	}
	return defaultHandoff.Threshold
}

// RearmAt returns the fraction of the window below which a handoff may be asked
// for again, 0…1.
func (h HandoffRules) RearmAt() float64 {
	if h.Rearm >= 0 && h.Rearm < h.ThresholdOf() {
		return h.Rearm
	}
	return min(defaultHandoff.Rearm, h.ThresholdOf()/2)
}
