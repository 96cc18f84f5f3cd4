package config

import (
	"slices"
	"time"

	"remanence/internal/embed"
	"remanence/internal/event"
	"remanence/internal/llm"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// Options lists every setting, in the order of the file.
func Options() []Option {
	d := event.Defaults(event.Lean)
	return slices.Concat(toldOptions(d), weighOptions(d), modelOptions(), stateOptions(), houseOptions(d))
}

// toldOptions are those of what is told, when, and how much of it.
func toldOptions(d event.Settings) []Option {
	f := event.Defaults(event.Full)
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
		{Key: "context.window", Def: 0, Doc: "tokens that the agent's context can hold; 0 is as the client or the model says", Env: []string{"CAIRN_CONTEXT_WINDOW"}},
		{Key: "handoff.threshold", Def: d.Handoff.Threshold, Doc: "share of the context, 0 to 1 or in percent, from which the agent is asked once to write a handoff; 0 is never", Env: []string{"CAIRN_COMPACT_THRESHOLD"}, Check: checkPart},
		{Key: "handoff.rearm", Def: d.Handoff.Rearm, Doc: "share below which it will be asked again", Check: checkPart},
		{Key: "handoff.sample_every", Def: d.Handoff.SampleEvery, Doc: "how often it is looked how full the context of a session is, at most"},
		{Key: "handoff.max_age", Def: d.Handoff.MaxAge, Doc: "an older handoff is not told to a new session"},
		{Key: "nudge.every", Def: string(d.NudgeEvery), Full: string(f.NudgeEvery), One: []string{"change", "always", "never"}, Doc: "when the state line goes with a prompt"},
		{Key: "nudge.max_tokens", Def: d.NudgeTokens, Doc: "tokens of the state line"},
		{Key: "recall.max_memories", Def: d.MaxMemories, Doc: "memories told with a prompt at most"},
		{Key: "recall.max_chunks", Def: d.MaxChunks, Doc: "pieces of earlier conversations told with a prompt at most; 0 is none"},
		{Key: "recall.min_prompt_chars", Def: d.MinPromptChars, Doc: "shorter prompts recall nothing"},
	}
}

// weighOptions are those of how use, age and nearness weigh, and the vault.
func weighOptions(d event.Settings) []Option {
	return []Option{
		{Key: "scri.session_start", Def: string(rank.Documents), One: []string{string(rank.Documents), string(rank.Logarithm)}, Doc: "how use and age order a briefing: documents counts every use, log each further one less"},
		{Key: "scri.prompt", Def: string(rank.ByAuthority), One: []string{string(rank.ByAuthority), string(rank.Documents), string(rank.NoUse)}, Doc: "how use and age weigh on what a prompt recalls: authority at most 1.8 times, documents without bound, none"},
		{Key: "scri.half_life_days", Def: int(rank.DefaultHalfLife / (24 * time.Hour)), Doc: "days without use after which use counts e times less; 0 is the default"},
		{Key: "scri.prevented_weight", Def: rank.DefaultPrevented, Doc: "what a mistake that a memory prevented counts, in uses; 0 is the default"},
		{Key: "scri.authority_cap", Def: rank.DefaultCap, Doc: "what authority never reaches; 0 is the default"},
		{Key: "scri.saturation", Def: rank.DefaultSaturation, Doc: "use at which authority is half way to its cap; 0 is the default"},
		{Key: "scri.match_boost", Def: rank.DefaultBoost, Doc: "what a memory of the project at hand counts more in a briefing; project_hints.toml may say another; 0 is the default"},
		{Key: "vault.dir", Def: "", Doc: "folder of your memory in markdown; empty is vault/ beside the database", Check: checkVaultDir},
		{Key: "vault.top_k", Def: d.Vault.TopK, Doc: "weighted memories of the vault told at the start of a session"},
		{Key: "vault.critical", Def: []string{}, Doc: "files of the vault that are always told, beside those with critical: true"},
		{Key: "vault.log_tail_lines", Def: d.Vault.LogLines, Doc: "last lines of the vault's LOG.md told at the start of a session"},
		{Key: "recall.vector_floor", Def: rank.DefaultNear, Doc: "how near, 0 to 1, a memory must be that shares no word with a prompt; counts with embeddings only", Check: checkShare},
	}
}

// modelOptions are those of the servers that turn text into vectors and digests.
func modelOptions() []Option {
	return []Option{
		{Key: "embed.provider", Def: noEmbedder, One: []string{noEmbedder, embed.Ollama, embed.OpenAI}, Doc: "who turns memories and questions into vectors: nobody, an Ollama server, or one that speaks as OpenAI's"},
		{Key: "embed.url", Def: "http://127.0.0.1:11434", Doc: "where that server is", Check: checkEmbedURL},
		{Key: "embed.model", Def: "nomic-embed-text", Doc: "the model to ask for; another one makes all vectors anew"},
		{Key: "embed.dims", Def: 0, Doc: "how many numbers a vector has; 0 is as many as the model gives", Check: checkDims},
		{Key: "embed.key_env", Def: "", Doc: "name of the variable that holds the server's key, if it wants one", Check: checkKeyEnv},
		{Key: "embed.allow_remote", Def: false, Doc: "the server may be on another machine; memories and questions are sent there"},
		{Key: "embed.timeout", Def: recall.DefaultEmbedWait, Doc: "how long an answer waits for the vector of a question; then it does without"},
		{Key: "digest.provider", Def: noModel, One: []string{noModel, llm.Anthropic, llm.OpenAI, llm.Claude}, Doc: "who digests turns after the rules did: nobody, Anthropic's API, a server that speaks as OpenAI's (Ollama too), or the claude command with its own login"},
		{Key: "digest.url", Def: "", Doc: "where that server is; empty is Anthropic's own, or an Ollama server on this machine", Check: checkModelURL},
		{Key: "digest.model", Def: "", Doc: "the model to ask; empty is a small one of Anthropic's, with openai it has to be named"},
		{Key: "digest.daily_tokens", Def: 0, Doc: "tokens that it may take a day, asked and answered; none is asked while this is 0"},
		{Key: "digest.allow_remote", Def: false, Doc: "turns may be sent to another machine, as Anthropic's API and the claude command do"},
		{Key: "digest.key_env", Def: "", Doc: "name of the variable that holds the server's key; empty is " + anthropicKey + " with anthropic, else none", Check: checkKeyEnv},
		{Key: "digest.command", Def: "claude", Doc: "the program that claude-command runs: a name or a path"},
		{Key: "digest.timeout", Def: time.Minute, Doc: "how long one answer may take, 10m at most", Check: checkModelTimeout},
		{Key: "digest.min_trust", Def: mem.TrustTool.String(), One: []string{mem.TrustNone.String(), mem.TrustTool.String(), mem.TrustAssistant.String()}, Doc: "no turn of less trust is sent: L1 leaves out those that read the web, L0 none"},
		{Key: "digest.exclude_projects", Def: []string{}, Doc: "paths (globs), names or keys of projects that no model sees"},
	}
}

// stateOptions are those of the state files.
func stateOptions() []Option {
	l := mem.MindDefaults()
	return []Option{
		{Key: "state.keep_sessions_full", Def: l.KeepSessions, Doc: "entries of SESSION-LOG.md that remanence mind compress leaves whole"},
		{Key: "state.keep_decisions_full", Def: l.KeepDecisions, Doc: "decisions of DECISIONS.md that remanence mind compress leaves whole"},
		{Key: "state.archive_after_days", Def: int(l.ArchiveAfter / (24 * time.Hour)), Doc: "days after which remanence mind compress moves a completed task to ARCHIVE.md"},
		{Key: "state.tracking_max_lines", Def: l.TrackingLines, Doc: "lines that a tracking file in .mind/ is cut to when it has twice as many"},
		{Key: "state.compress_threshold_bytes", Def: int(l.CompressBytes), Doc: "bytes of a state file from which remanence mind compress is offered"},
		{Key: "state.session_log_tail_lines", Def: l.LogTail, Doc: "lines of SESSION-LOG.md in a briefing; 0 is none"},
		{Key: "state.briefing_recent_decisions", Def: l.RecentDecisions, Doc: "decisions of DECISIONS.md in a briefing; 0 is none"},
		{Key: "state.briefing_max_progress_lines", Def: l.ProgressLines, Doc: "lines of PROGRESS.md in a briefing; 0 is none"},
		{Key: "state.max_checkpoint_files", Def: l.Checkpoints, Doc: "checkpoint files kept in .mind/checkpoints, at least 3"},
		{Key: "state.stale_warning_seconds", Def: int(l.StaleAfter / time.Second), Doc: "seconds after which STATE.md is out of date in a session that changes files"},
		{Key: "state.auto_compress", Def: false, Doc: "compress state files at the end of a session that finds them too large"},
	}
}

// houseOptions are those of the daemon, privacy, tools and the log.
func houseOptions(d event.Settings) []Option {
	return []Option{
		{Key: "worker.idle_exit", Def: 30 * time.Minute, Doc: "the daemon ends after this long without work"},
		{Key: "worker.http_port", Def: 0, Doc: "TCP port on this machine's loopback for tools that cannot use the socket, when the daemon starts next; 0 is none", Check: checkPort},
		{Key: "spool.max_bytes", Def: 256 << 20, Doc: "bytes of events waiting for the daemon at most"},
		{Key: "privacy.exclude_projects", Def: []string{}, Doc: "paths (globs), names or keys of projects that are never captured"},
		{Key: "privacy.exclude_paths", Def: d.ExcludePaths, Doc: "files (globs) whose calls are never captured"},
		{Key: "privacy.exclude_tools", Def: []string{}, Doc: "tools (globs) that are never captured"},
		{Key: "privacy.retention_days", Def: d.RetentionDays, Doc: "the raw text of events is dropped after so many days, and jobs given up that long ago; memories stay; 0 is never"},
		{Key: "privacy.hide_days", Def: d.HideDays, Doc: "a forgotten memory can be restored for so many days, then it is erased; 0 is never"},
		{Key: "privacy.rules", Def: []string{}, Doc: "secrets of your own to take out, NAME=PATTERN each", Check: checkRules},
		{Key: "mcp.tools", Def: "core", One: []string{"core", "all"}, Doc: "which tools an agent is offered: the eight of remanence, or also the names that other memory servers have for them"},
		{Key: "mcp.http", Def: "", Doc: "loopback address of remanence mcp --http on; empty is any free port", Check: checkLoopback},
		{Key: "log.level", Def: "info", One: []string{"debug", "info", "warn", "error"}, Doc: "what goes into the log"},
	}
}
