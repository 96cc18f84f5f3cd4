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
	"remanence/internal/workstate"
)

// Options lists every setting, in the order of the file.
func Options() []Option {
	d := event.Defaults(event.Lean)
	f := event.Defaults(event.Full)
	return slices.Concat(budgetOptions(d.Budgets, f.Budgets), contextOptions(d), handoffOptions(d.Handoff),
		promptOptions(d, f), weightOptions(), vaultOptions(d.Vault), modelOptions(), stateOptions(), daemonOptions(d))
}

// budgetOptions returns the profile, and the token budget of each injection.
func budgetOptions(lean, full event.Budgets) []Option {
	return []Option{
		{
			Key: "profile", Def: "lean", One: []string{"lean", "full", "silent"},
			Doc: "how much is injected: lean injects little, full more and more often, silent nothing (capture only)",
		},
		{
			Key: "hooks.session_start.token_budget", Def: lean.SessionStart, Full: full.SessionStart,
			Doc: "token budget of the briefing at the start of a session; 0 switches it off",
		},
		{
			Key: "hooks.resume.token_budget", Def: lean.Resume, Full: full.Resume,
			Doc: "token budget of the briefing when a session is resumed or forked; 0 switches it off",
		},
		{
			Key: "hooks.compact.token_budget", Def: lean.Compact, Full: full.Compact,
			Doc: "token budget of what is injected after a compaction; 0 switches it off",
		},
		{
			Key: "hooks.user_prompt.token_budget", Def: lean.UserPrompt, Full: full.UserPrompt,
			Doc: "token budget of the recall injected with a prompt; 0 switches it off",
		},
		{
			Key: "hooks.pre_read.token_budget", Def: lean.Read, Full: full.Read,
			Doc: "token budget of notes on a file that the agent reads; 0 switches them off",
		},
		{
			Key: "hooks.pre_write.token_budget", Def: lean.Write, Full: full.Write,
			Doc: "token budget of notes on a file that the agent changes; 0 switches them off",
		},
		{
			Key: "hooks.pre_bash.token_budget", Def: lean.Bash, Full: full.Bash,
			Doc: "token budget of the known fix of a command that failed; 0 switches it off",
		},
		{
			Key: "hooks.pre_task.token_budget", Def: lean.Task, Full: full.Task,
			Doc: "token budget of what a new subagent is given; 0 switches it off",
		},
	}
}

// contextOptions returns the settings of tool calls, of a briefing's index and of the context window.
func contextOptions(d event.Settings) []Option {
	return []Option{
		{Key: "hooks.skip_tools", Def: d.SkipTools, Doc: "tools whose calls make no memory"},
		{
			Key: "context.observations", Def: d.Observations,
			Doc: "rows of the memory index in a briefing; 0 is none",
			Env: []string{"CLAUDE_MEM_CONTEXT_OBSERVATIONS"},
		},
		{Key: "context.sessions", Def: d.Sessions, Doc: "rows of earlier sessions in a briefing"},
		{Key: "context.glyphs", Def: d.Glyphs, Doc: "show kinds as symbols in the index"},
		{
			Key: "context.max_session_tokens", Def: d.SessionTokens,
			Doc: "most tokens injected between two compactions; 0 is no limit",
		},
		{Key: "context.receipt_line", Def: d.ReceiptLine, Doc: "show you one line about what a session was given"},
		{
			Key: "context.window", Def: 0,
			Doc: "tokens that the agent's context window holds; 0 takes what the client or the model reports",
			Env: []string{"CAIRN_CONTEXT_WINDOW"},
		},
	}
}

// handoffOptions returns the settings of when a handoff is asked for and injected.
func handoffOptions(d event.HandoffRules) []Option {
	return []Option{
		{
			Key: "handoff.threshold", Def: d.Threshold,
			Doc:   "context usage from which the agent is asked once to write a handoff; 0 never asks",
			Range: "0 to 1, or a percentage up to 100", Env: []string{"CAIRN_COMPACT_THRESHOLD"}, Check: checkPart,
		},
		{
			Key: "handoff.rearm", Def: d.Rearm,
			Doc:   "context usage below which the agent may be asked again",
			Range: "0 to 1, or a percentage up to 100", Check: checkPart,
		},
		{
			Key: "handoff.sample_every", Def: d.SampleEvery,
			Doc: "shortest time between two measurements of a session's context usage",
		},
		{
			Key: "handoff.max_age", Def: d.MaxAge,
			Doc: "age from which a handoff is no longer injected into a new session",
		},
	}
}

// promptOptions returns the settings of what is injected with a prompt.
func promptOptions(lean, full event.Settings) []Option {
	return []Option{
		{
			Key: "nudge.every", Def: string(lean.StateLineRule), Full: string(full.StateLineRule),
			One: []string{"change", "always", "never"},
			Doc: "when the state line is injected with a prompt",
		},
		{Key: "nudge.max_tokens", Def: lean.StateLineTokens, Doc: "most tokens of the state line"},
		{
			Key: "nudge.notes", Def: lean.NoteRequests,
			Doc: "ask the agent, with the next prompt, for a note on a turn that changed files and stated something but " +
				"left none",
		},
		{Key: "recall.max_memories", Def: lean.MaxMemories, Doc: "most memories injected with a prompt"},
		{
			Key: "recall.max_chunks", Def: lean.MaxChunks,
			Doc: "most quotes of earlier conversations injected with a prompt; 0 is none",
		},
		{Key: "recall.min_prompt_chars", Def: lean.MinPromptChars, Doc: "prompts with fewer characters recall nothing"},
	}
}

// weightOptions returns the settings of how use and age weigh.
func weightOptions() []Option {
	return []Option{
		{
			Key: "use.session_start", Def: string(rank.Documents),
			One: []string{string(rank.Documents), string(rank.Logarithm)},
			Doc: "how use and age order a briefing: documents counts every use, log each further use less",
		},
		{
			Key: "use.prompt", Def: string(rank.ByAuthority),
			One: []string{string(rank.ByAuthority), string(rank.Documents), string(rank.NoUse)},
			Doc: "how use and age weigh in a recall: authority at most 1.8 times, documents without bound, none not at all",
		},
		{
			Key: "use.half_life_days", Def: int(rank.DefaultHalfLife / (24 * time.Hour)),
			Doc: "days without use after which use counts e times less; 0 is the default",
		},
		{
			Key: "use.prevented_weight", Def: rank.DefaultPrevented,
			Doc: "how many uses a prevented mistake counts; 0 is the default",
		},
		{Key: "use.authority_cap", Def: rank.DefaultCap, Doc: "upper limit that authority approaches; 0 is the default"},
		{
			Key: "use.saturation", Def: rank.DefaultSaturation,
			Doc: "number of uses at which authority is half its upper limit; 0 is the default",
		},
		{
			Key: "use.match_boost", Def: rank.DefaultBoost,
			Doc: "factor for memories of the current project in a briefing; project_hints.toml overrides it; 0 is the default",
		},
	}
}

// vaultOptions returns the settings of the vault, and the least nearness of a memory without a common word.
func vaultOptions(d event.VaultSettings) []Option {
	return []Option{
		{
			Key: "vault.dir", Def: "",
			Doc:   "folder of your memories as Markdown files; empty is vault/ beside the database",
			Range: "an absolute path, or one that begins with ~/", Check: checkVaultDir,
		},
		{Key: "vault.top_k", Def: d.TopK, Doc: "most weighted memories of the vault in a briefing"},
		{
			Key: "vault.critical", Def: []string{},
			Doc: "files of the vault that are always injected, besides those with critical: true",
		},
		{Key: "vault.log_tail_lines", Def: d.LogLines, Doc: "last lines of the vault's LOG.md in a briefing"},
		{
			Key: "recall.vector_floor", Def: rank.DefaultNear,
			Doc:   "least nearness of a memory that shares no word with a prompt; used with embeddings only",
			Range: "0 to 1", Check: checkShare,
		},
	}
}

// modelOptions returns the settings of the servers that turn text into vectors and digests.
func modelOptions() []Option {
	return []Option{
		{
			Key: "embed.provider", Def: noEmbedder, One: []string{noEmbedder, embed.Ollama, embed.OpenAI},
			Doc: "server that turns memories and questions into vectors: none, Ollama, or one with OpenAI's API",
		},
		{
			Key: "embed.url", Def: "http://127.0.0.1:11434",
			Doc:   "address of the embedding server",
			Range: "an http or https address", Check: checkEmbedURL,
		},
		{Key: "embed.model", Def: "nomic-embed-text", Doc: "embedding model; after a change all vectors are made again"},
		{
			Key: "embed.dims", Def: 0,
			Doc:   "numbers in a vector; 0 takes as many as the model gives",
			Range: "0 to 8192", Check: checkDims,
		},
		{
			Key: "embed.key_env", Def: "",
			Doc:   "name of the environment variable that holds the server's key",
			Range: "the name of a variable", Check: checkKeyEnv,
		},
		{
			Key: "embed.allow_remote", Def: false,
			Doc: "allow an embedding server on another machine; memories and questions are sent there",
		},
		{
			Key: "embed.timeout", Def: recall.DefaultEmbedWait,
			Doc: "longest time an answer waits for the vector of a question before it goes on without",
		},
		{
			Key: "digest.provider", Def: noModel, One: []string{noModel, llm.Anthropic, llm.OpenAI, llm.Claude},
			Doc: "language model that digests turns after the rules did: none, Anthropic's API, " +
				"a server with OpenAI's API (Ollama too), or the claude command",
		},
		{
			Key: "digest.url", Def: "",
			Doc:   "address of the model's server; empty is Anthropic's own, or an Ollama server on this machine",
			Range: "an http or https address", Check: checkModelURL,
		},
		{Key: "digest.model", Def: "", Doc: "model to ask; empty is a small one of Anthropic's; openai needs a name"},
		{
			Key: "digest.daily_tokens", Def: 0,
			Doc: "most tokens a day, requests and answers together; at 0 no model is used",
		},
		{
			Key: "digest.allow_remote", Def: false,
			Doc: "allow turns to be sent to another machine, as Anthropic's API and the claude command do",
		},
		{
			Key: "digest.key_env", Def: "",
			Doc:   "variable that holds the key; empty is " + anthropicKey + " with anthropic, else none",
			Range: "the name of a variable", Check: checkKeyEnv,
		},
		{Key: "digest.command", Def: "claude", Doc: "program that claude-command runs: a name or a path"},
		{
			Key: "digest.timeout", Def: time.Minute,
			Doc:   "longest time one answer may take",
			Range: "a duration up to 10m", Check: checkModelTimeout,
		},
		{
			Key: "digest.min_trust", Def: mem.TrustTool.String(),
			One: []string{mem.TrustNone.String(), mem.TrustTool.String(), mem.TrustAssistant.String()},
			Doc: "turns of less trust are not sent: L1 leaves out turns that read the web, L0 sends all",
		},
		{
			Key: "digest.exclude_projects", Def: []string{},
			Doc: "paths (globs), names or keys of projects whose turns are never sent to a model",
		},
	}
}

// stateOptions returns the settings of the state files.
func stateOptions() []Option {
	l := workstate.DefaultLimits()
	return []Option{
		{
			Key: "state.keep_sessions_full", Def: l.KeepSessions,
			Doc: "newest entries of SESSION-LOG.md that remanence mind compress leaves whole",
		},
		{
			Key: "state.keep_decisions_full", Def: l.KeepDecisions,
			Doc: "newest decisions of DECISIONS.md that remanence mind compress leaves whole",
		},
		{
			Key: "state.archive_after_days", Def: int(l.ArchiveAfter / (24 * time.Hour)),
			Doc: "days after which remanence mind compress moves a completed task to ARCHIVE.md",
		},
		{
			Key: "state.tracking_max_lines", Def: l.TrackingLines,
			Doc: "lines that a tracking file in .mind/ is cut to when it has twice as many",
		},
		{
			Key: "state.compress_threshold_bytes", Def: int(l.CompressBytes),
			Doc: "size in bytes from which remanence mind compress is suggested for a state file",
		},
		{Key: "state.session_log_tail_lines", Def: l.LogTail, Doc: "last lines of SESSION-LOG.md in a briefing; 0 is none"},
		{
			Key: "state.briefing_recent_decisions", Def: l.RecentDecisions,
			Doc: "newest decisions of DECISIONS.md in a briefing; 0 is none",
		},
		{
			Key: "state.briefing_max_progress_lines", Def: l.ProgressLines,
			Doc: "most lines of PROGRESS.md in a briefing; 0 is none",
		},
		{
			Key: "state.max_checkpoint_files", Def: l.Checkpoints,
			Doc:   "checkpoint files kept in .mind/checkpoints",
			Range: "a whole number, at least 3",
		},
		{
			Key: "state.stale_warning_seconds", Def: int(l.StaleAfter / time.Second),
			Doc: "seconds after which STATE.md is out of date in a session that changes files",
		},
		{Key: "state.auto_compress", Def: false, Doc: "compress state files that are too large when a session ends"},
	}
}

// daemonOptions returns the settings of the daemon, privacy, tools and the log.
func daemonOptions(d event.Settings) []Option {
	return []Option{
		{
			Key: "store.dsn", Def: SQLiteDSN,
			Doc: "where the memory is: sqlite: is a file in the data directory, postgres://USER@HOST:PORT/DATABASE " +
				"or surreal://USER@HOST:PORT/NAMESPACE/DATABASE a server; read when the daemon starts",
			Range: "sqlite: or an address postgres://… or surreal://…, without a password",
			Check: checkDSN, Hide: withoutPassword,
		},
		{
			Key: "share.dsn", Def: "",
			Doc: "PostgreSQL server on which a team shares memories, postgres://USER@HOST:PORT/DATABASE; empty is none, and " +
				"nothing is sent (docs/team.md)",
			Range: "empty, or an address postgres://…, without a password",
			Check: checkTeamDSN, Hide: withoutPassword,
		},
		{Key: "share.team", Def: "", Doc: "name of your team on that server, a role of it"},
		{
			Key: "share.kinds", Def: []string{},
			Doc:   "kinds of memories that are sent to the team and follow its changes, such as decision, convention",
			Range: "a list of kinds", Check: checkKinds,
		},
		{
			Key: "share.projects", Def: []string{},
			Doc: "projects whose memories are shared with the team: addresses of origins (globs), such as " +
				"git.example.org/shop/*",
		},
		{Key: "worker.idle_exit", Def: 30 * time.Minute, Doc: "time without work after which the daemon ends"},
		{
			Key: "worker.http_port", Def: 0,
			Doc:   "loopback TCP port for tools that cannot use the socket, from the daemon's next start; 0 is none",
			Range: "0 to 65535", Check: checkPort,
		},
		{Key: "spool.max_bytes", Def: 256 << 20, Doc: "most bytes of events that wait for the daemon"},
		{
			Key: "privacy.exclude_projects", Def: []string{},
			Doc: "paths (globs), names or keys of projects that are never captured",
		},
		{Key: "privacy.exclude_paths", Def: d.ExcludePaths, Doc: "files (globs); tool calls on them are never captured"},
		{Key: "privacy.exclude_tools", Def: []string{}, Doc: "tools (globs) that are never captured"},
		{
			Key: "privacy.retention_days", Def: d.RetentionDays,
			Doc: "days after which the raw text of events and jobs that were given up are deleted; memories stay; 0 is never",
		},
		{
			Key: "privacy.hide_days", Def: d.HideDays,
			Doc: "days in which a forgotten memory can be restored before it is erased; 0 is never erased",
		},
		{
			Key: "privacy.rules", Def: []string{},
			Doc:   "secrets of your own to redact, each as NAME=PATTERN; read when the daemon starts",
			Range: "a list of NAME=PATTERN", Check: checkRules,
		},
		{
			Key: "blame.trailers", Def: false,
			Doc: "name the agent's session in the message of its commits, where `remanence trailers on` installed the hook",
		},
		{
			Key: "mcp.tools", Def: "core", One: []string{"core", "more", "all"},
			Doc: "tools offered to an agent: core is the nine of Remanence, more adds blame, recap and propose, all also the " +
				"names that other memory servers use",
		},
		{
			Key: "mcp.http", Def: "",
			Doc:   "loopback address of remanence mcp --http on; empty is any free port",
			Range: "an address of this machine", Check: checkLoopback,
		},
		{
			Key: "log.level", Def: "info", One: []string{"debug", "info", "warn", "error"},
			Doc: "least level of what is written to the log",
		},
	}
}
