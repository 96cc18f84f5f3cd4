package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/rank"
	"remanence/internal/when"
	"remanence/internal/workstate"
)

// Option is one setting: its default, and the one of the full profile where it differs.
type Option struct {
	Key  string
	Def  any // bool, int, float64, string, []string or time.Duration
	Full any // nil: as Def
	One  []string
	Doc  string
	// Range names the accepted values where Def and One do not say them. See Accepts.
	Range string
	Env   []string // other variables, read if neither the own one nor the file sets it
	// Hide returns a value without what must not be shown, logged or used. Nil returns it as it is.
	Hide func(value any) any
	// Check finds fault with a value of the right type, of which the rest is used
	// all the same. Nil finds none.
	Check func(value any) error
}

// Accepts describes the accepted values in a few words, such as "a whole number from 0".
func (o Option) Accepts() string {
	switch {
	case o.Range != "":
		return o.Range
	case len(o.One) > 0:
		return strings.Join(o.One, ", ")
	}
	switch o.Def.(type) {
	case bool:
		return "true, false"
	case int:
		return "a whole number from 0"
	case float64:
		return "a number"
	case time.Duration:
		return "a duration such as 30s, 10m or 7d"
	case []string:
		return "a list"
	}
	return "text"
}

// EnvName is the variable that overrides a key: capitals, dots as underscores.
func EnvName(key string) string {
	return "REMANENCE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// Value is the value of one setting and its origin.
type Value struct {
	Option
	Value  any
	Origin string // "default", "file", or the variable's name
}

// Config is every setting as it is now.
type Config struct {
	Values   []Value
	Warnings []string // unknown keys, values of a wrong type; the default counts then
}

// UtfBOM is the byte order mark that some editors write before a text.
const UtfBOM = "\ufeff"

// ErrSyntax marks a file that does not parse.
var ErrSyntax = errors.New("configuration does not parse")

// LoadConfig reads the file, if there is one, and the environment. With an
// unreadable file everything has its default and the error says why.
func LoadConfig(file string, getenv func(string) string) (Config, error) {
	set, err := ReadConfig(file)
	return FromMap(set, getenv), err
}

// FromMap is the configuration of a file that sets those keys. It empties set.
func FromMap(set map[string]any, getenv func(string) string) Config {
	var c Config
	full := false
	for _, o := range Options() {
		if full && o.Full != nil {
			o.Def = o.Full
		}
		v := Value{Option: o, Value: o.Def, Origin: "default"}
		c.resolveValue(&v, set, getenv)
		if o.Key == "profile" {
			full = v.Value == "full"
		}
		c.Values = append(c.Values, v)
	}
	if err := c.embedFault(); err != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("embed: %v; nothing is embedded", err))
	}
	if err := c.ModelFault(); err != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("digest: %v; turns are digested by rule alone", err))
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("unknown key %q%s", key, Nearest(key)))
	}
	return c
}

// resolveValue finds the value in force: that of the own variable, else of the file, else of another variable.
// An invalid value is skipped.
func (c *Config) resolveValue(v *Value, set map[string]any, getenv func(string) string) {
	raw, inFile := set[v.Key]
	delete(set, v.Key)
	own := EnvName(v.Key)
	if !inFile && getenv(own) == "" {
		for _, name := range v.Env {
			if text := getenv(name); text != "" {
				c.setFrom(v, text, name)
			}
		}
	}
	if inFile {
		c.setFrom(v, raw, "file")
	}
	if text := getenv(own); text != "" {
		c.setFrom(v, text, own)
	}
}

// ReadConfig reads the file into flat keys.
func ReadConfig(file string) (map[string]any, error) {
	flat := map[string]any{}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // a pipe would be waited for
		return flat, fmt.Errorf("read %s: %w: it is not a file", file, ErrSyntax)
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return flat, nil
	}
	if err != nil {
		return flat, fmt.Errorf("read %s: %w", file, err)
	}
	var tree map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(b, []byte(UtfBOM)), &tree); err != nil {
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, col := at.Position()
			return flat, fmt.Errorf("%s line %d column %d: %w: %s", file, line, col, ErrSyntax, at.Error())
		}
		return flat, fmt.Errorf("%s: %w: %w", file, ErrSyntax, err)
	}
	flatten("", tree, flat)
	return flat, nil
}

func flatten(prefix string, tree, flat map[string]any) {
	for k, v := range tree {
		if sub, ok := v.(map[string]any); ok {
			flatten(prefix+k+".", sub, flat)
			continue
		}
		flat[prefix+k] = v
	}
}

// setFrom sets v from raw if it fits, and warns if not.
func (c *Config) setFrom(v *Value, raw any, origin string) {
	got, err := v.Parse(raw)
	if err != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: %v; %v is used", v.Key, err, v.Value))
		return
	}
	v.Value, v.Origin = got, origin
	if v.Hide != nil {
		v.Value = v.Hide(got)
	}
	if err := v.Validate(got); err != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: %v; it is left out", v.Key, err))
	}
}

// Validate returns what is wrong with a value of the right type.
func (o Option) Validate(value any) error {
	if o.Check == nil {
		return nil
	}
	return o.Check(value)
}

// Parse turns text or a TOML value into a value of the option's type.
func (o Option) Parse(raw any) (any, error) {
	s, isText := raw.(string)
	switch o.Def.(type) {
	case bool:
		if b, ok := raw.(bool); ok {
			return b, nil
		}
		if b, err := strconv.ParseBool(s); isText && err == nil {
			return b, nil
		}
		return nil, fmt.Errorf("%v is not true or false", raw)
	case int:
		if n, ok := raw.(int64); ok && n >= 0 {
			return int(n), nil
		}
		if n, err := strconv.Atoi(s); isText && err == nil && n >= 0 {
			return n, nil
		}
		return nil, fmt.Errorf("%v is not a whole number from 0", raw)
	case float64:
		f := math.NaN()
		switch n := raw.(type) {
		case float64:
			f = n
		case int64:
			f = float64(n)
		case string:
			if v, err := strconv.ParseFloat(n, 64); err == nil {
				f = v
			}
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%v is not a number", raw)
		}
		return f, nil
	case time.Duration:
		if d, err := when.ParseDuration(s); isText && err == nil {
			return d, nil
		}
		return nil, fmt.Errorf("%v is not a duration such as 30m", raw)
	case []string:
		return parseList(raw)
	}
	if !isText {
		return nil, fmt.Errorf("%v is not text", raw)
	}
	if len(o.One) > 0 && !slices.Contains(o.One, s) {
		return nil, fmt.Errorf("%q is none of %s", s, strings.Join(o.One, ", "))
	}
	return s, nil
}

func parseList(raw any) (any, error) {
	switch list := raw.(type) {
	case string:
		out := []string{}
		for _, s := range strings.Split(list, ",") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
		return out, nil
	case []any:
		out := []string{}
		for _, x := range list {
			s, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("%v is not text", x)
			}
			out = append(out, s)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%v is not a list of texts", raw)
}

// Get returns the value of a key that is known to exist.
func (c Config) Get(key string) any {
	for _, v := range c.Values {
		if v.Key == key {
			return v.Value
		}
	}
	return nil
}

// Get returns the value of a key as a T; the zero value if it has another type. It is not inlined: that would add
// 25 KB to the program.
//
//go:noinline
func Get[T any](c Config, key string) T {
	v, _ := c.Get(key).(T)
	return v
}

// Settings are the engine's part of the configuration.
func (c Config) Settings() event.Settings {
	num := func(key string) int { return Get[int](c, key) }
	return event.Settings{
		Profile: event.Profile(Get[string](c, "profile")),
		Budgets: event.Budgets{
			SessionStart: num("hooks.session_start.token_budget"), Resume: num("hooks.resume.token_budget"),
			Compact: num("hooks.compact.token_budget"), UserPrompt: num("hooks.user_prompt.token_budget"),
			Read: num("hooks.pre_read.token_budget"), Write: num("hooks.pre_write.token_budget"),
			Bash: num("hooks.pre_bash.token_budget"), Task: num("hooks.pre_task.token_budget"),
		},
		Observations: num("context.observations"), Sessions: num("context.sessions"),
		Glyphs: Get[bool](c, "context.glyphs"), SessionTokens: num("context.max_session_tokens"),
		ReceiptLine:   Get[bool](c, "context.receipt_line"),
		StateLineRule: event.StateLineRule(Get[string](c, "nudge.every")), StateLineTokens: num("nudge.max_tokens"),
		NoteRequests: Get[bool](c, "nudge.notes"),
		EmbedWait:    Get[time.Duration](c, "embed.timeout"), VectorFloor: Get[float64](c, "recall.vector_floor"),
		MaxMemories:    num("recall.max_memories"),
		MaxChunks:      num("recall.max_chunks"),
		MinPromptChars: num("recall.min_prompt_chars"),
		Use: rank.Use{
			Start: rank.Form(Get[string](c, "use.session_start")), Prompt: rank.Form(Get[string](c, "use.prompt")),
			HalfLife:  time.Duration(min(num("use.half_life_days"), maxDays)) * 24 * time.Hour,
			Prevented: Get[float64](c, "use.prevented_weight"), Cap: Get[float64](c, "use.authority_cap"),
			Saturation: Get[float64](c, "use.saturation"), Boost: Get[float64](c, "use.match_boost"),
		},
		Window: num("context.window"),
		Handoff: event.HandoffRules{
			Threshold: partOf(Get[float64](c, "handoff.threshold")), Rearm: partOf(Get[float64](c, "handoff.rearm")),
			SampleEvery: Get[time.Duration](c, "handoff.sample_every"),
			MaxAge:      Get[time.Duration](c, "handoff.max_age"),
		},
		DigestTokens:  num("digest.daily_tokens"),
		DigestTrust:   c.digestTrust(),
		DigestExclude: Get[[]string](c, "digest.exclude_projects"),
		Vault: event.VaultSettings{
			TopK:     num("vault.top_k"),
			Critical: Get[[]string](c, "vault.critical"),
			LogLines: num("vault.log_tail_lines"),
		},
		SkipTools:       Get[[]string](c, "hooks.skip_tools"),
		ExcludeTools:    Get[[]string](c, "privacy.exclude_tools"),
		ExcludePaths:    Get[[]string](c, "privacy.exclude_paths"),
		ExcludeProjects: Get[[]string](c, "privacy.exclude_projects"),
		RetentionDays:   num("privacy.retention_days"), HideDays: num("privacy.hide_days"),
	}
}

// partOf is a part of a whole, which may be given in percent.
func partOf(v float64) float64 {
	if v > 1 && v <= 100 {
		return v / 100
	}
	return v
}

func checkPart(v any) error {
	f, _ := v.(float64)
	if checkShare(partOf(f)) != nil {
		return errors.New("from 0 to 1, or in percent")
	}
	return nil
}

func checkPort(v any) error {
	if n, _ := v.(int); n > 65535 {
		return errors.New("a port is no more than 65535")
	}
	return nil
}

// MindLimits returns the configured limits of state files.
func (c Config) MindLimits() workstate.Limits {
	num := func(key string) int { return Get[int](c, "state."+key) }
	return workstate.Limits{
		KeepSessions: num("keep_sessions_full"), KeepDecisions: num("keep_decisions_full"),
		ArchiveAfter:  time.Duration(min(num("archive_after_days"), maxDays)) * 24 * time.Hour,
		TrackingLines: num("tracking_max_lines"), CompressBytes: int64(num("compress_threshold_bytes")),
		LogTail: num("session_log_tail_lines"), RecentDecisions: num("briefing_recent_decisions"),
		ProgressLines: num("briefing_max_progress_lines"), Checkpoints: num("max_checkpoint_files"),
		StaleAfter:   time.Duration(min(num("stale_warning_seconds"), maxDays*24*3600)) * time.Second,
		AutoCompress: Get[bool](c, "state.auto_compress"),
	}
}

// maxDays keeps a span of days within what a duration holds.
const maxDays = 100_000

// Nearest suggests the known key that is most like the given one.
func Nearest(key string) string {
	best, dist := "", 4
	for _, o := range Options() {
		if d := chars.EditDistance(key, o.Key); d < dist {
			best, dist = o.Key, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}
