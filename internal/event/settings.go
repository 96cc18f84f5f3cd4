package event

import (
	"slices"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Profile is a set of defaults: how much is injected, and when.
type Profile string

// The profiles. Silent captures and injects nothing.
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
	SessionTokens   int  // limit between two compactions; then only state line and restored checkpoint
	ReceiptLine     bool // one line to the person at session start
	StateLineRule   StateLineRule
	StateLineTokens int
	NoteRequests    bool // ask the agent for a note after a turn that left none

	MaxMemories    int // injected with a prompt
	MaxChunks      int // quotes injected with a prompt, besides memories
	MinPromptChars int
	Use            rank.Use // weights of past use

	Vault VaultSettings

	EmbedWait   time.Duration // for the vector of a query; 0 means DefaultEmbedWait
	VectorFloor float64       // how near a memory must be that shares no word with a prompt; 0 means rank.DefaultNear

	Window        int // tokens of the context window; 0 means as the client or the model reports
	Handoff       HandoffRules
	DigestTokens  int       // limit of a day; 0 means no digests by a model
	DigestTrust   mem.Trust // no turn is shown to a model whose trust is lower
	DigestExclude []string  // globs on the root, or exact keys or names, of projects that no model sees

	SkipTools       []string // exact names that make no observation
	ExcludeTools    []string // globs; not captured at all
	ExcludePaths    []string // globs; a call on one is not captured
	ExcludeProjects []string // globs on the root, or exact keys or names

	RetentionDays int // payloads of events are dropped after; 0 means never
	HideDays      int // what was forgotten is erased after; 0 means never
}

// VaultSettings says what a briefing contains of the vault.
type VaultSettings struct {
	TopK     int      // weighted memories; 0 means none
	Critical []string // files that are always injected, besides those marked critical; see vaultfile.Path
	LogLines int      // of the end of the journal; 0 means none
}

// StateLineRule says when the state line is injected with a prompt.
type StateLineRule string

// The rules.
const (
	StateLineOnChange StateLineRule = "change"
	StateLineAlways   StateLineRule = "always"
	StateLineNever    StateLineRule = "never"
)

// Budgets are limits in tokens. 0 disables the injection.
type Budgets struct {
	SessionStart, Resume, Compact, UserPrompt int
	Read, Write, Bash, Task                   int
}

// Defaults returns the settings of a profile before any change by the person.
func Defaults(p Profile) Settings {
	s := Settings{
		Profile: p,
		Budgets: Budgets{
			SessionStart: 1200, Resume: 300, Compact: 2000, UserPrompt: 300, Read: 120, Write: 120,
			Bash: 120, Task: 400,
		},
		Observations: 50, Sessions: 10, Glyphs: true, SessionTokens: 12000, ReceiptLine: true,
		StateLineRule: StateLineOnChange, StateLineTokens: 60, NoteRequests: true,
		MaxMemories: 4, MaxChunks: 4, MinPromptChars: 8,
		Vault:         VaultSettings{TopK: 10, LogLines: 40},
		SkipTools:     []string{"ListMcpResourcesTool", "SlashCommand", "Skill", mem.ToolTodo},
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

// defaultHandoff returns the handoff settings before any change by the person.
var defaultHandoff = HandoffRules{
	Threshold: 0.85, Rearm: 0.50, SampleEvery: 12 * time.Second,
	MaxAge: 7 * 24 * time.Hour,
}

// In returns the settings within a project. Its configuration file may exclude further paths and lower budgets; it
// gives an agent nothing that the person did not.
func (s Settings) In(p mem.Project) Settings {
	if p.File == nil {
		return s
	}
	s.ExcludePaths = append(slices.Clone(s.ExcludePaths), p.File.ExcludePaths...)
	for hook, budget := range map[string]*int{
		"session_start": &s.Budgets.SessionStart, "resume": &s.Budgets.Resume, "compact": &s.Budgets.Compact,
		"user_prompt": &s.Budgets.UserPrompt, "pre_read": &s.Budgets.Read, "pre_write": &s.Budgets.Write,
		"pre_bash": &s.Budgets.Bash, "pre_task": &s.Budgets.Task,
	} {
		if lower, ok := p.File.TokenBudgets[hook]; ok {
			*budget = min(*budget, max(0, lower))
		}
	}
	return s
}

// WithoutInjection returns the settings with every kind of injection disabled.
func (s Settings) WithoutInjection() Settings {
	s.Budgets, s.StateLineRule, s.Handoff.Threshold = Budgets{}, StateLineNever, 0
	s.NoteRequests = false
	return s
}

// OfStart returns the limit of a briefing for a SessionStart source.
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

// MayInject reports whether more may be injected into the session before its next compaction.
func (s Settings) MayInject(session mem.Session) bool {
	return s.SessionTokens <= 0 || session.InjectedTokens < s.SessionTokens
}

// KeptSince returns the time since which the payloads of events are kept; ok is false if all are kept.
func (e *Service) KeptSince() (t time.Time, ok bool) { return e.DaysAgo(e.Settings().RetentionDays) }

// maxDays is the largest number of days that still gives a valid date.
const maxDays = 36500

// DaysAgo returns the time that many days before now; ok is false if days means never.
func (e *Service) DaysAgo(days int) (t time.Time, ok bool) {
	return e.Now().AddDate(0, 0, -min(days, maxDays)), days > 0 && days < maxDays
}

// JobFill is the kind of job that reads the context usage of a session.
const JobFill = "fill"

// HandoffRules says when a handoff is requested and when it is injected.
type HandoffRules struct {
	Threshold   float64       // share of the window from which one is requested; 0 means never
	Rearm       float64       // share below which it may be requested again
	SampleEvery time.Duration // shortest time between two readings of context usage
	MaxAge      time.Duration // an older one is not injected into a new session; 0 means no limit
}

// ThresholdOf returns a share if it is valid, else the default.
func (h HandoffRules) ThresholdOf() float64 {
	if h.Threshold >= 0 && h.Threshold <= 1 {
		return h.Threshold
	}
	return defaultHandoff.Threshold
}

// RearmAt returns the fraction of the window below which a handoff may be requested again, 0…1.
func (h HandoffRules) RearmAt() float64 {
	if h.Rearm >= 0 && h.Rearm < h.ThresholdOf() {
		return h.Rearm
	}
	return min(defaultHandoff.Rearm, h.ThresholdOf()/2)
}
