package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"remanence/internal/api"
	"remanence/internal/capture"
	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/gitblame"
	"remanence/internal/hookclient"
	"remanence/internal/index"
	"remanence/internal/instructions"
	"remanence/internal/mem"
	"remanence/internal/mind"
	"remanence/internal/peers"
	"remanence/internal/project"
	"remanence/internal/redact"
	"remanence/internal/spool"
	"remanence/internal/store/served"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/stored"
	"remanence/internal/team"
	"remanence/internal/transcript"
	"remanence/internal/vault"
	"remanence/internal/views"
	"remanence/internal/workstate"
)

// Daemon is everything behind the socket: store, engine and routes.
type Daemon struct {
	Sys          config.System
	Paths        config.Paths
	log          *slog.Logger
	Store        mem.Store
	file         *sqlite.Store      // Store, unless a server has it
	server       stored.ServerStore // Store, if a server has it
	engine       served.Engine      // of server
	process      string             // names this process among the daemons of the server
	indexed      *index.Store       // Store with an index in RAM, once serving
	live         *api.Live          // of what is written to the store
	others       *peers.Group       // the other daemons of server; nil without one
	team         *team.Link         // with the server of a team
	Engine       *engine.Engine
	spool        *spool.Spool
	archive      *transcript.Archive
	Config       *liveConfig
	liveEmbedder liveEmbedder
	liveModel    liveModel
	Redactor     *redact.Redactor
	trust        *TrustList
	stateFiles   *mind.Files
	Meter        *meter
	liveVault    liveVault
	Since        time.Time
	servingSince time.Time              // since when a daemon; zero within a command
	retained     curate.RetentionResult // by this round of tidy so far

	stop      context.CancelCauseFunc // ends the worker; nil without one
	checking  sync.Mutex              // holds who reads all of the database; guards the next two
	checkedAt time.Time               // when it was last found undamaged after a reported error
	damage    error                   // what was found where it is not sound

	extra Extension

	mu         sync.Mutex
	setRuntime func(set func(*api.Runtime)) // changes the runtime file; nil until the worker is reachable
	dueNotices []hookclient.Notice          // warnings on their way to the person
}

// New opens the store and connects the parts. The caller holds the lock.
func New(ctx context.Context, sys config.System, paths config.Paths, log *slog.Logger, extra Extension) (*Daemon,
	error,
) {
	h := &Daemon{
		Sys: sys, Paths: paths, extra: extra, log: log, live: &api.Live{}, Since: sys.Now(),
		Config: newLiveConfig(paths.Config, sys.Getenv, log),
	}
	cfg := h.Config.Now()
	if err := openConfigured(ctx, h, cfg); err != nil {
		return nil, err
	}
	if h.server != nil {
		h.others = peers.New(peers.Config{
			Server: h.server, Name: h.process, Most: stored.MaxNotice, Store: h.Store, Live: h.live, Index: h.indexed,
			Title: beginning, Log: log,
		})
	}
	h.spool = spool.Open(spool.Config{Dir: paths.Spool(), MaxBytes: cfg.SpoolBytes(), Fallback: func() (string, error) {
		return hookclient.MakeFallbackDir(paths)
	}})
	if !paths.Uninstalled(sys.Getenv) { // hooks come
		h.spool.Prepare()
		hookclient.PrepareNotices(paths.Notices())
	}
	secret := config.ReadSecret(paths.Key())
	d := &redact.Redactor{Key: secret, Rules: config.OwnRules(cfg.OwnRules())}
	for _, err := range d.Errors() {
		log.Warn("own secret rule skipped", "error", err)
	}
	h.Redactor = d
	h.archive = &transcript.Archive{Dir: paths.Transcripts(), Redact: d.Text, Private: hasPrivate(d)}
	h.trust = &TrustList{Paths: paths}
	h.stateFiles = mind.New(mind.Config{
		Trusted: h.trust.Trusts, Main: project.MainCheckout, Redact: d.Text, Now: sys.Now, Changed: project.Changed,
		Limits: func() workstate.Limits { return h.Config.Now().MindLimits() },
	})
	h.Engine = engine.New(engine.Config{
		Store: publishing(h), Redactor: d, Now: sys.Now, Secret: secret,
		Settings:         h.Config.settings,
		Project:          (&projectFiles{trust: h.trust, log: log}).identify,
		Moved:            project.Moved,
		Rel:              project.Rel,
		Commits:          project.Commits,
		LastUtterances:   newestQuotes(d),
		ReadContextUsage: transcript.Fill,
		Archive:          h.archive,
		StateFiles:       h.stateFiles,
		Shared:           sharedFolders(h.trust),
		Program:          OwnProgram(),
		TranscriptEvents: pastEvents(d),
		ListTranscripts:  transcript.List,
		GiveWay:          func(ctx context.Context, jobs bool) { h.Meter.giveWay(ctx, workPatience(jobs)) },
		Journal:          vaultLog(h.vault),
		Own:              []string{paths.Data, paths.State, filepath.Dir(paths.Config)},
		OpenFiles:        func(p mem.Project) event.Files { return project.NewLook(p) },
		Instructed:       (&instructions.Cache{}).Says,
		Slack:            sys.Slack,
		Log: func(what string, err error) {
			log.Error("answered without", "what", what, "error", h.checkDamage(err))
		},
		Warnings: h.warnings,
		Embedder: h.EngineEmbedder, Summarizer: h.summarizer,
		Paused:     h.publishPauses,
		Vault:      h.engineVault,
		Handoffs:   handoffs{h.vault},
		CountStore: reviewCountFile{paths.Inbox(), log},
	})
	h.team = team.New(team.Config{
		Settings: func() team.Settings { return teamSettings(h.Config.Now()) },
		Projects: h.Store.Projects, Sync: h.Engine.Filesync.SyncTeam, Status: h.Engine.Filesync.TeamStatus,
		Erase: h.Engine.Filesync.EraseTeam, Getenv: sys.Getenv, Now: sys.Now, Log: log,
	})
	h.Engine.Views.Log = gitblame.Log
	h.live.Initial = h.liveStatus
	h.Meter = &meter{next: h.Engine, shown: h.noticesShown}
	h.indexed.GiveWay = func(ctx context.Context) { h.Meter.giveWay(ctx, ofIndex) }
	return h, nil
}

// pastEvents reads the events of a session's transcript, redacted.
func pastEvents(d *redact.Redactor) func(ctx context.Context, s mem.Session, since mem.TranscriptPosition,
	until time.Time,
	give func(mem.Event) error) (mem.TranscriptPosition, error) {
	return func(ctx context.Context, s mem.Session, since mem.TranscriptPosition, until time.Time,
		give func(mem.Event) error,
	) (mem.TranscriptPosition, error) {
		p := transcript.Past{
			Redact: d.Text, JSON: d.JSON, Own: capture.OwnCommand, Unnumbered: s.Source == mem.Backfilled,
		}
		return p.Read(ctx, s.Transcript, since, until, give)
	}
}

// vaultLog adds entries to the log of a vault, if there is one.
func vaultLog(find func() *vault.Vault) func(string) (string, error) {
	return func(entry string) (string, error) {
		v := find()
		if !v.There() {
			return "", nil
		}
		return v.AppendLog(entry)
	}
}

// hasPrivate reports whether a text has a private part.
func hasPrivate(d *redact.Redactor) func(string) bool {
	return func(s string) bool {
		_, found := d.Scrub(s)
		return found.Private > 0
	}
}

// newestQuotes reads the newest utterances of a transcript, redacted.
func newestQuotes(d *redact.Redactor) func(path string, lines int) ([]mem.Quote, error) {
	return func(path string, lines int) ([]mem.Quote, error) {
		part, err := transcript.Tail(path, lines, d.Text)
		if err != nil {
			return nil, err
		}
		said := make([]mem.Quote, 0, len(part.Said))
		for _, u := range part.Said {
			said = append(said, mem.Quote{Who: u.Who, Text: u.Text, At: u.At})
		}
		return said, nil
	}
}

// OwnProgram returns how a shell calls this program: its name may not be on the agent's PATH. It is empty if
// the file has another name.
func OwnProgram() string {
	exe, err := os.Executable()
	exe = strings.TrimSuffix(exe, " (deleted)") // of a program that was replaced
	if err != nil || filepath.Base(exe) != "remanence" {
		return ""
	}
	if strings.ContainsFunc(exe, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@", r)
	}) {
		return "'" + strings.ReplaceAll(exe, "'", `'\''`) + "'"
	}
	return exe
}

// Bindings returns the routes with their handlers.
func (h *Daemon) Bindings() []api.Binding {
	e := h.Engine
	own := []api.Binding{
		api.On(api.Search, asInvalid(e.Recall.Search)), api.On(api.Show, e.Views.Show), api.On(api.Why, e.Views.Why),
		api.On(api.Next, e.Next),
		api.On(api.Timeline, e.Views.Timeline), api.On(api.Status, h.Status), api.On(api.Today, e.Views.Today),
		api.On(api.StatusLine, e.Views.StatusLine), api.On(api.Recap, fileLines{h}.recap), api.On(api.Blame, e.Views.Blame),
		api.On(api.Propose, e.Views.Propose), api.On(api.BlameFile, fileLines{h}.blameFile),
		api.On(api.ProposeFile, fileLines{h}.proposeFile),
		api.On(api.HandoffPage, e.Views.Handoff),
		api.On(api.Add, asInvalid(e.Curate.Add)),
		api.On(api.Import, asInvalid(e.Curate.Import)), api.On(api.Backfill, asInvalid(e.Backfill)),
		api.On(api.Backfilling, func(ctx context.Context, _ api.Nothing) (event.Backfill, error) {
			return e.Capture.BackfillStatus(ctx)
		}), api.On(api.Edit, asInvalid(e.Curate.Edit)),
		api.On(api.Mark, asInvalid(e.Curate.Mark)), api.On(api.Feedback, asInvalid(e.Curate.Feedback)),
		api.On(api.Purge, asInvalid(h.purge)), api.On(api.PurgePreview, asInvalid(h.previewPurge)), api.On(api.Scan, h.scan),
		api.On(api.Pause, e.Event.Pause),
		api.On(api.Handoff, asInvalid(e.Continuity.Handoff)), api.On(api.Save, e.Continuity.Save),
		api.On(api.Checkpoints, e.Continuity.Checkpoints), api.On(api.Resume, e.Continuity.Resume),
		api.On(api.Diff, e.Continuity.Diff), api.On(api.CheckpointLog, asInvalid(e.Filesync.WriteLog)),
		api.On(api.Drift, e.Drift),
		api.On(api.Lint, asInvalid(e.Curate.Lint)),
		api.On(api.Consolidate, asInvalid(e.Curate.Consolidate)), api.On(api.Runs, e.Curate.Runs),
		api.On(api.Review, asInvalid(e.Curate.Review)), api.On(api.Resolve, asInvalid(e.Curate.Resolve)),
		api.On(api.Merge, asInvalid(e.Curate.Merge)),
		api.On(api.Successor, e.Continuity.Successor), api.On(api.Report, e.Report), api.On(api.Prompts, e.Views.Prompts),
		api.On(api.GetSession, h.sessionOf),
		api.On(api.EndPrompts, h.markIdle), api.On(api.Processing, h.working),
		api.On(api.Projects, h.projects), api.On(api.Now, h.now), api.On(api.Feed, e.Views.Feed),
		api.On(api.Sessions, e.Views.Sessions), api.On(api.SessionUses, e.Views.SessionUses),
		api.On(api.SessionStory, h.sessionStory), api.On(api.MemoryStory, e.Views.MemoryStory),
		api.On(api.Receipts, e.Views.Receipts), api.On(api.WhatIf, e.WhatIf), api.On(api.Economy, h.economy),
		api.On(api.Effect, e.Views.Effect),
		api.On(api.Files, e.Views.Files), api.On(api.File, e.Views.File), api.On(api.Related, e.Recall.Related),
		api.On(api.Overview, func(ctx context.Context, _ api.Nothing) (views.OverviewResponse, error) {
			return e.Views.Overview(ctx)
		}),
		api.On(api.Sizes, h.sizes), api.On(api.State, asInvalid(e.Filesync.State)),
		api.On(api.Share, asInvalid(sharing(h))),
		api.On(api.ReadState, asInvalid(func(ctx context.Context, at mem.ProjectRef) (workstate.State, error) {
			return e.Filesync.State(ctx, workstate.Request{ProjectRef: at, Op: workstate.OpGet})
		})),
		api.On(ExamineStore, h.Examine), api.On(ProjectsNamed, h.projectsNamed),
		api.On(DescribeStore, h.describe), api.On(AuditStore, h.audit), api.On(BackupStore, h.backup),
		api.On(ReindexStore, h.Reindex), api.On(ReviveJobs, h.revive), api.On(TryEmbedding, h.tryEmbedding),
		api.On(DigestStatus, h.digest),
	}
	if h.extra.Bindings != nil {
		own = append(own, h.extra.Bindings(h)...)
	}
	return own
}

// Status returns the engine's status with what only this process knows.
func (h *Daemon) Status(ctx context.Context, at mem.ProjectRef) (views.StatusResponse, error) {
	o, err := h.Engine.Views.Status(ctx, at)
	if err != nil {
		return o, err
	}
	o.Health.Since, o.Embedding = h.Since, h.EmbeddingStatus(ctx)
	o.Team = h.team.State()
	h.Meter.read(&o.Health)
	if !h.servingSince.IsZero() && h.Sys.Now().Sub(h.servingSince) < startupGrace {
		o.Health.OldestJobS = 0 // whatever waited, waited for a daemon
	}
	backfill, err := h.Engine.Capture.BackfillStatus(ctx)
	if err != nil {
		return o, err
	}
	if backfill.Sessions > 0 {
		o.Backfill = &backfill
	}
	if o.Digest, err = h.digestStatus(ctx); err != nil {
		return o, err
	}
	taken := h.Redactor.Counts()
	o.Health.Private = taken.Private
	for _, n := range taken.Secrets {
		o.Health.Secrets += n
	}
	return o, nil
}

// publishPauses writes the pauses into the runtime file, which hooks read.
func (h *Daemon) publishPauses(ps []mem.Pause) {
	h.updateRuntime(func(rt *api.Runtime) { rt.Paused = ps })
}

// publishSpoolLimit writes the limit of the spool into the runtime file.
func (h *Daemon) publishSpoolLimit(bytes int64) {
	h.updateRuntime(func(rt *api.Runtime) { rt.SpoolBytes = bytes })
}

func (h *Daemon) updateRuntime(set func(*api.Runtime)) {
	h.mu.Lock()
	update := h.setRuntime
	h.mu.Unlock()
	if update != nil {
		update(set)
	}
}

// warnings returns notices for the person, each at most once a day: lost events and mistakes in the
// configuration.
func (h *Daemon) warnings(p mem.Project) []string {
	var causes []hookclient.Notice
	lost := int64(0)
	for _, n := range hookclient.LostEvents(h.Paths) {
		lost += n
	}
	if lost > 0 {
		causes = append(causes, hookclient.Notice{
			Cause: "dropped", Level: lost,
			Text: fmt.Sprintf("remanence: %d events could not be kept so far. Fix: remanence doctor", lost),
		})
	}
	if n := h.Paths.LogBytes(); n > LongWALBytes {
		causes = append(causes, hookclient.Notice{
			Cause: "log", Level: 0,
			Text: fmt.Sprintf("remanence: the database's log has grown to %s, because another program keeps the database "+
				"open. Fix: remanence doctor", fault.ByteCount(n)),
		})
	}
	if c := h.Config.Now(); len(c.Warnings) > 0 {
		causes = append(causes, hookclient.Notice{Cause: "config: " + c.Warnings[0], Level: 0, Text: "remanence: " +
			c.Warnings[0] + ". Fix: remanence config validate"})
	}
	causes = append(append(causes, AsideNotices(h.Paths)...), h.mindNotices(p)...)
	due := hookclient.DueNotices(h.Paths.Notices(), h.Sys.Now(), causes)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dueNotices = due
	return hookclient.Texts(due)
}

// noticesShown records that the newest notices were shown. Until then they are repeated, because a reply may
// not arrive.
func (h *Daemon) noticesShown() {
	h.mu.Lock()
	defer h.mu.Unlock()
	hookclient.MarkShown(h.Paths.Notices(), h.Sys.Now(), h.dueNotices)
	h.dueNotices = nil
}
