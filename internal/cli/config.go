package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"remanence/internal/embed"
	"remanence/internal/engine"
	"remanence/internal/rank"
)

// Option is one setting: its default, and the one of the full profile where it differs.
type Option struct {
	Key  string
	Def  any // bool, int, float64, string, []string or time.Duration
	Full any // nil: as Def
	One  []string
	Doc  string
	Env  []string // other variables, read when the own one and the file say nothing
	// Check finds fault with a value of the right type, of which the rest is used
	// all the same. Nil finds none.
	Check func(value any) error
}

// Options lists every setting, in the order of the file.
func Options() []Option {
	d := engine.Defaults(engine.Lean)
	f := engine.Defaults(engine.Full)
	return []Option{
		{Key: "profile", Def: "lean", One: []string{"lean", "full", "silent"}, Doc: "how much is told: lean, full, or silent (capture only)"},
		{Key: "hooks.session_start.token_budget", Def: d.Budgets.SessionStart, Full: f.Budgets.SessionStart, Doc: "tokens of a briefing; 0 is off"},
		{Key: "hooks.resume.token_budget", Def: d.Budgets.Resume, Full: f.Budgets.Resume, Doc: "tokens of a briefing when a session is resumed or forked; 0 is off"},
		{Key: "hooks.compact.token_budget", Def: d.Budgets.Compact, Full: f.Budgets.Compact, Doc: "tokens of the restore after a compaction; 0 is off"},
		{Key: "hooks.user_prompt.token_budget", Def: d.Budgets.UserPrompt, Full: f.Budgets.UserPrompt, Doc: "tokens recalled with a prompt; 0 is off"},
		{Key: "hooks.pre_read.token_budget", Def: d.Budgets.Read, Full: f.Budgets.Read, Doc: "tokens of notes on a file that was read; 0 is off"},
		{Key: "hooks.pre_write.token_budget", Def: d.Budgets.Write, Full: f.Budgets.Write, Doc: "tokens of notes on a file that was changed; 0 is off"},
		{Key: "hooks.pre_bash.token_budget", Def: d.Budgets.Bash, Full: f.Budgets.Bash, Doc: "tokens of the known fix of a command that failed; 0 is off"},
		{Key: "hooks.pre_task.token_budget", Def: d.Budgets.Task, Full: f.Budgets.Task, Doc: "tokens of a subagent's brief; 0 is off"},
		{Key: "hooks.skip_tools", Def: d.SkipTools, Doc: "tools whose calls make no memory"},
		{Key: "context.observations", Def: d.Observations, Doc: "rows of the index in a briefing; 0 is none", Env: []string{"CLAUDE_MEM_CONTEXT_OBSERVATIONS"}},
		{Key: "context.sessions", Def: d.Sessions, Doc: "session rows of the index"},
		{Key: "context.glyphs", Def: d.Glyphs, Doc: "show kinds as glyphs in the index"},
		{Key: "context.max_session_tokens", Def: d.SessionTokens, Doc: "tokens told between two compactions at most; 0 is no limit"},
		{Key: "context.receipt_line", Def: d.ReceiptLine, Doc: "tell the person in one line what a session was told"},
		{Key: "nudge.every", Def: string(d.NudgeEvery), Full: string(f.NudgeEvery), One: []string{"change", "always", "never"}, Doc: "when the state line goes with a prompt"},
		{Key: "nudge.max_tokens", Def: d.NudgeTokens, Doc: "tokens of the state line"},
		{Key: "recall.max_memories", Def: d.MaxMemories, Doc: "memories told with a prompt at most"},
		{Key: "recall.max_chunks", Def: d.MaxChunks, Doc: "pieces of earlier conversations told with a prompt at most; 0 is none"},
		{Key: "recall.min_prompt_chars", Def: d.MinPromptChars, Doc: "shorter prompts recall nothing"},
		{Key: "scri.session_start", Def: string(rank.Documents), One: []string{string(rank.Documents), string(rank.Logarithm)}, Doc: "how use and age order a briefing: documents counts every use, log each further one less"},
		{Key: "scri.prompt", Def: string(rank.ByAuthority), One: []string{string(rank.ByAuthority), string(rank.Documents), string(rank.NoUse)}, Doc: "how use and age weigh on what a prompt recalls: authority at most 1.8 times, documents without bound, none"},
		{Key: "scri.half_life_days", Def: int(rank.DefaultHalfLife / (24 * time.Hour)), Doc: "days without use after which use counts e times less; 0 is the default"},
		{Key: "recall.vector_floor", Def: rank.DefaultNear, Doc: "how near, 0 to 1, a memory must be that shares no word with a prompt; counts with embeddings only", Check: checkShare},
		{Key: "embed.provider", Def: noEmbedder, One: []string{noEmbedder, embed.Ollama, embed.OpenAI}, Doc: "who turns memories and questions into vectors: nobody, an Ollama server, or one that speaks as OpenAI's"},
		{Key: "embed.url", Def: "http://127.0.0.1:11434", Doc: "where that server is", Check: checkEmbedURL},
		{Key: "embed.model", Def: "nomic-embed-text", Doc: "the model to ask for; another one makes all vectors anew"},
		{Key: "embed.dims", Def: 0, Doc: "how many numbers a vector has; 0 is as many as the model gives", Check: checkDims},
		{Key: "embed.key_env", Def: "", Doc: "name of the variable that holds the server's key, if it wants one", Check: checkKeyEnv},
		{Key: "embed.allow_remote", Def: false, Doc: "the server may be on another machine; memories and questions are sent there"},
		{Key: "embed.timeout", Def: engine.DefaultEmbedWait, Doc: "how long an answer waits for the vector of a question; then it does without"},
		{Key: "worker.idle_exit", Def: 30 * time.Minute, Doc: "the daemon ends after this long without work"},
		{Key: "worker.http_port", Def: 0, Doc: "TCP port on this machine's loopback for tools that cannot use the socket, when the daemon starts next; 0 is none"},
		{Key: "spool.max_bytes", Def: 256 << 20, Doc: "bytes of events waiting for the daemon at most"},
		{Key: "privacy.exclude_projects", Def: []string{}, Doc: "paths (globs), names or keys of projects that are never captured"},
		{Key: "privacy.exclude_paths", Def: d.ExcludePaths, Doc: "files (globs) whose calls are never captured"},
		{Key: "privacy.exclude_tools", Def: []string{}, Doc: "tools (globs) that are never captured"},
		{Key: "privacy.retention_days", Def: d.RetentionDays, Doc: "the raw text of events is dropped after so many days, memories stay; 0 is never"},
		{Key: "privacy.hide_days", Def: d.HideDays, Doc: "a forgotten memory can be restored for so many days, then it is erased; 0 is never"},
		{Key: "privacy.rules", Def: []string{}, Doc: "secrets of your own to take out, NAME=PATTERN each; a change counts from the daemon's next start on", Check: checkRules},
		{Key: "log.level", Def: "info", One: []string{"debug", "info", "warn", "error"}, Doc: "what goes into the log"},
	}
}

// EnvName is the variable that overrides a key: capitals, dots as underscores.
func EnvName(key string) string {
	return "REMANENCE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// Value is the value of one setting and where it comes from.
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

// errConfig marks a file that does not parse.
var errConfig = errors.New("configuration does not parse")

// LoadConfig reads the file, if there is one, and the environment. With an
// unreadable file everything has its default and the error says why.
func LoadConfig(file string, getenv func(string) string) (Config, error) {
	set, err := readConfig(file)
	var c Config
	full := false
	for _, o := range Options() {
		if full && o.Full != nil {
			o.Def = o.Full
		}
		v := Value{Option: o, Value: o.Def, Origin: "default"}
		c.settle(&v, set, getenv)
		if o.Key == "profile" {
			full = v.Value == "full"
		}
		c.Values = append(c.Values, v)
	}
	if err := c.embedFault(); err != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("embed: %v; nothing is embedded", err))
	}
	for _, key := range slices.Sorted(mapKeys(set)) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("unknown key %q%s", key, nearest(key)))
	}
	return c, err
}

// settle finds the value that counts: of the own variable, else of the file,
// else of another variable. One that does not fit gives way to the next.
func (c *Config) settle(v *Value, set map[string]any, getenv func(string) string) {
	raw, inFile := set[v.Key]
	delete(set, v.Key)
	own := EnvName(v.Key)
	if !inFile && getenv(own) == "" {
		for _, name := range v.Env {
			if text := getenv(name); text != "" {
				c.take(v, text, name)
			}
		}
	}
	if inFile {
		c.take(v, raw, "file")
	}
	if text := getenv(own); text != "" {
		c.take(v, text, own)
	}
}

func mapKeys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// readConfig reads the file into flat keys.
func readConfig(file string) (map[string]any, error) {
	flat := map[string]any{}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // a pipe would be waited for
		return flat, fmt.Errorf("read %s: %w: it is not a file", file, errConfig)
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return flat, nil
	}
	if err != nil {
		return flat, fmt.Errorf("read %s: %w", file, err)
	}
	var tree map[string]any
	if err := toml.Unmarshal(b, &tree); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, col := at.Position()
			return flat, fmt.Errorf("%s line %d column %d: %w: %s", file, line, col, errConfig, at.Error())
		}
		return flat, fmt.Errorf("%s: %w: %w", file, errConfig, err)
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

// take sets v from raw if it fits, and warns if not.
func (c *Config) take(v *Value, raw any, origin string) {
	got, err := v.Parse(raw)
	if err != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: %v; %v is used", v.Key, err, v.Value))
		return
	}
	v.Value, v.Origin = got, origin
	if err := v.check(got); err != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: %v; it is left out", v.Key, err))
	}
}

func (o Option) check(value any) error {
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
		switch n := raw.(type) {
		case float64:
			return n, nil
		case int64:
			return float64(n), nil
		}
		if f, err := strconv.ParseFloat(s, 64); isText && err == nil {
			return f, nil
		}
		return nil, fmt.Errorf("%v is not a number", raw)
	case time.Duration:
		if d, err := time.ParseDuration(s); isText && err == nil && d > 0 {
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

func value[T any](c Config, key string) T {
	v, _ := c.Get(key).(T)
	return v
}

// Settings are the engine's part of the configuration.
func (c Config) Settings() engine.Settings {
	num := func(key string) int { return value[int](c, key) }
	return engine.Settings{
		Profile: engine.Profile(value[string](c, "profile")),
		Budgets: engine.Budgets{
			SessionStart: num("hooks.session_start.token_budget"), Resume: num("hooks.resume.token_budget"),
			Compact: num("hooks.compact.token_budget"), UserPrompt: num("hooks.user_prompt.token_budget"),
			Read: num("hooks.pre_read.token_budget"), Write: num("hooks.pre_write.token_budget"),
			Bash: num("hooks.pre_bash.token_budget"), Task: num("hooks.pre_task.token_budget"),
		},
		Observations: num("context.observations"), Sessions: num("context.sessions"),
		Glyphs: value[bool](c, "context.glyphs"), SessionTokens: num("context.max_session_tokens"),
		ReceiptLine: value[bool](c, "context.receipt_line"),
		NudgeEvery:  engine.NudgeRule(value[string](c, "nudge.every")), NudgeTokens: num("nudge.max_tokens"),
		EmbedWait: value[time.Duration](c, "embed.timeout"), VectorFloor: value[float64](c, "recall.vector_floor"),
		MaxMemories: num("recall.max_memories"), MaxChunks: num("recall.max_chunks"), MinPromptChars: num("recall.min_prompt_chars"),
		Use: rank.Use{
			Start: rank.Form(value[string](c, "scri.session_start")), Prompt: rank.Form(value[string](c, "scri.prompt")),
			HalfLife: time.Duration(min(num("scri.half_life_days"), maxDays)) * 24 * time.Hour,
		},
		SkipTools:       value[[]string](c, "hooks.skip_tools"),
		ExcludeTools:    value[[]string](c, "privacy.exclude_tools"),
		ExcludePaths:    value[[]string](c, "privacy.exclude_paths"),
		ExcludeProjects: value[[]string](c, "privacy.exclude_projects"),
		RetentionDays:   num("privacy.retention_days"), HideDays: num("privacy.hide_days"),
	}
}

// maxDays keeps a span of days within what a duration holds.
const maxDays = 100_000

// nearest suggests the known key that is most like the given one.
func nearest(key string) string {
	best, dist := "", 4
	for _, o := range Options() {
		if d := editDistance(key, o.Key); d < dist {
			best, dist = o.Key, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// editDistance is Levenshtein's, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost = 1 + min(prev, row[j], row[j+1])
			}
			prev, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
