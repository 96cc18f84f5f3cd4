package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/erase"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/setup"
	"remanence/internal/spool"
	"remanence/internal/views"
)

// Figures above or below which a check finds fault.
const (
	aheadMost = 5 * time.Minute // of the clock
	diskLow   = 200 << 20       // bytes
	diskFull  = 1 << 20         // bytes
	slowHook  = 250             // milliseconds: the most that any kind of hook should take
	silentFor = 24 * time.Hour  // without any event
	mayBeOpen = 0o077           // mode bits that no other user may have
)

// Checks look at an installation: its daemon, store, hooks and files. A check
// changes nothing; what it finds may have a repair.
type Checks struct {
	*daemon.Connection
	Out   *ui.Printer // shows repairs
	Brief bool        // leave out what reads all of the store
}

// Examine runs every check.
func (a *Checks) Examine(ctx context.Context) []Check {
	a.Close()
	a.Caller, a.Close = nil, func() {} // a repair may have replaced what was connected to
	modes := a.CheckModes()            // opening the store makes its files private
	nothing := a.ReadUninstalled(ctx)
	daemon, o := a.checkDaemon(ctx, nothing)
	waiting := a.checkSpool(ctx) // before anything that takes it in
	list := []Check{daemon, modes, a.checkRoundTrip(ctx)}
	list = append(list, a.checkSetup()...)
	list = append(list, a.checkCleanup()...)
	list = append(list, a.checkTrust(o)...)
	list = append(list, a.CheckPluginCache()...)
	list = append(list, a.checkServer(ctx)...)
	if o != nil {
		list = append(list, a.checkHTTP(ctx)...)
		list = append(list, a.checkStore(ctx)...)
		list = append(list, CheckQueue(*o), CheckHooks(*o), CheckKeeping(o.Health.FailedInRow),
			CheckFiring(a.records(), *o, a.Sys.Now()), checkClock(*o, a.Sys.Now()))
		list = append(list, firing(a.Agents(ctx, true), a.Sys.Now())...)
		list = append(list, a.checkEmbedding(ctx)...)
		list = append(list, a.checkDigest(ctx)...)
		list = append(list, a.CheckSecrets(ctx))
		list = append(list, a.checkBriefing(ctx)...)
		list = append(list, a.checkVault()...)
	} else {
		list = append(list, a.CheckClosedStore(ctx)...)
	}
	list = append(list, waiting, a.checkDropped(), a.checkPlace(), a.checkDisk(), a.CheckLog(), a.checkPrograms())
	list = append(list, a.checkConfig()...)
	list = append(list, a.checkProjectFile()...)
	list = append(list, a.checkMind()...)
	if o != nil {
		if it := ui.PauseHere(ui.PausesOf(o.Pauses), o.Project.Key); it != nil {
			list = append(list,
				note("pause", fault.SwitchedOff.WithMessage("it is paused").Because("%s", it.Sentence(a.Sys.Now())).
					FixedBy(it.End())))
		}
	}
	return list
}

// CheckHooks looks at how long the newest hooks took.
func CheckHooks(o views.StatusResponse) Check {
	if p95 := o.Health.HookP95MS; p95 > slowHook {
		return Bad("hooks", false, fault.SlowHooks.Because("p95 %.0f ms of the newest, half of them within %.0f ms", p95,
			o.Health.HookP50MS))
	}
	if o.Health.HookErrors > 0 {
		return Bad("hooks", false, fault.Dropped.WithMessage("events could not be answered").Because("%d of %d",
			o.Health.HookErrors, o.Health.Hooks).FixedBy("remanence daemon logs", "do what its newest error asks for"))
	}
	answered := ui.Plural(int(o.Health.Hooks), "event", "events") + " answered"
	if n := o.Health.HookTimeouts; n > 0 { // the hook stopped waiting: nothing was lost
		answered += fmt.Sprintf(", %d stored late", n)
	}
	return Good("hooks", false, "%s, p95 %.0f ms", answered, o.Health.HookP95MS)
}

// CheckQueue looks for jobs that wait too long or were given up.
func CheckQueue(o views.StatusResponse) Check {
	old := time.Duration(o.Health.OldestJobS * float64(time.Second))
	switch {
	case old > waitsTooLong:
		return Bad("queue", true, fault.Stuck.Because("%d jobs wait, the oldest for %s", o.Health.QueueDepth, ui.Lasted(old)))
	case o.Health.DeadJobs > 0:
		c := Bad("queue", true, fault.Stuck.Because("%s given up: %s", ui.Plural(o.Health.DeadJobs, "job was", "jobs were"),
			o.Health.LastError))
		c.State = setup.Warn
		return c
	}
	return Good("queue", true, "%s waiting", ui.Plural(o.Health.QueueDepth, "job", "jobs"))
}

func checkClock(o views.StatusResponse, now time.Time) Check {
	if ahead := o.Stats.LastEvent.Sub(now); ahead > aheadMost {
		return Bad("clock", false, fault.Clock.Because("the last event is dated %s ahead", ui.Ago(ahead)))
	}
	return Good("clock", false, "no record is dated in the future")
}

// CheckModes looks whether others can read what is kept.
func (a *Checks) CheckModes() Check {
	if runtime.GOOS == "windows" {
		return Good("modes", true, "files belong to you")
	}
	open := exposedFiles(a.Paths)
	if len(open) == 0 {
		return Good("modes", true, "only you can read the data")
	}
	return Bad("modes", true, fault.Modes.Because("%s", strings.Join(open, ", "))).Safely(func(context.Context) error {
		return makePrivate(a.Paths)
	})
}

// exposedFiles lists what others may read, with its mode.
func exposedFiles(p config.Paths) []string {
	var out []string
	for _, f := range privateFiles(p) {
		if info, err := os.Stat(f); err == nil && info.Mode().Perm()&mayBeOpen != 0 {
			out = append(out, fmt.Sprintf("%s %04o", f, info.Mode().Perm()))
		}
	}
	return out
}

// makePrivate takes the rights of others away.
func makePrivate(p config.Paths) error {
	var errs []error
	for _, f := range privateFiles(p) {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm()&mayBeOpen == 0 {
			continue
		}
		errs = append(errs, os.Chmod(f, info.Mode().Perm()&^mayBeOpen))
	}
	return errors.Join(errs...)
}

// privateFiles lists what only the owner may read.
func privateFiles(p config.Paths) []string {
	var db []string
	// no pattern: the path itself may hold what means something in one
	entries, _ := os.ReadDir(filepath.Dir(p.Database()))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(p.Database())) {
			db = append(db, filepath.Join(filepath.Dir(p.Database()), e.Name()))
		}
	}
	return append([]string{
		p.Data, p.State, p.Spool(), filepath.Dir(p.Log()), p.Log(), filepath.Dir(p.Runtime()),
		p.Runtime(), p.Installs(), p.Key(), p.MCPToken(),
	}, db...)
}

// checkSetup looks at the agent's settings.
func (a *Checks) checkSetup() []Check {
	c, err := a.SetupConfig()
	if err != nil {
		return []Check{Bad("claude", true, daemon.Explain(err))}
	}
	var list []Check
	for _, f := range setup.Check(c) {
		item := CheckOf(f)
		if f.Safe {
			item.Repair = func(context.Context) error { return setup.Repair(c, setup.Profile(a.Profile())) }
		}
		list = append(list, item)
	}
	for _, cl := range setup.Clients() {
		for _, f := range setup.CheckClient(c, cl).Findings {
			item := CheckOf(f)
			item.Required = item.Required && f.State != setup.Info
			list = append(list, item)
		}
	}
	if f, ok := setup.CheckSkills(c); ok {
		item := CheckOf(f)
		item.Required = false
		list = append(list, item)
	}
	return list
}

// CheckFiring looks whether hooks that are there report anything.
func CheckFiring(records []setup.Record, o views.StatusResponse, now time.Time) Check {
	// which reports nothing
	records = slices.DeleteFunc(slices.Clone(records), func(r setup.Record) bool { return r.Server })
	if len(records) > 0 && o.Stats.Events == 0 {
		if since := now.Sub(records[len(records)-1].When); since > silentFor {
			return Bad("firing", false, fault.Silent.Because("they were installed %s ago", ui.Ago(since)))
		}
	}
	return Good("firing", false, "%s kept", ui.Plural(o.Stats.Events, "event", "events"))
}

// records are the install records that can be read.
func (a *Checks) records() []setup.Record {
	list, _ := setup.Records(setup.Config{RecordDir: a.Paths.Installs()}) // a damaged one is reported by its own check
	return list
}

// checkSpool gives a daemon that has just started the time to take events in.
func (a *Checks) checkSpool(ctx context.Context) Check {
	sp := spool.Open(spool.Config{Dir: a.Paths.Spool()})
	st, err := sp.Stat()
	if _, _, rerr := a.Running(ctx); rerr == nil && !a.NoDaemon {
		for end := time.Now().Add(daemon.SettleTime); err == nil && st.Records > 0 &&
			time.Now().Before(end); st, err = sp.Stat() {
			time.Sleep(50 * time.Millisecond)
		}
	}
	switch {
	case err != nil:
		return Bad("spool", false, fault.Spooled.WithMessage("the spool cannot be read").Because("%s", err))
	case st.Records > 0:
		return Bad("spool", false, fault.Spooled.Because("%s, the oldest for %s", ui.Plural(st.Records, "event", "events"),
			ui.Lasted(a.Sys.Now().Sub(st.Oldest)))).
			Safely(a.drainSpool)
	}
	return Good("spool", false, "empty")
}

// drainSpool has what waits taken in: by the daemon, or here without it.
func (a *Checks) drainSpool(ctx context.Context) error {
	if !a.NoDaemon {
		if err := a.StartDaemon(ctx); err != nil {
			return err
		}
		sp := spool.Open(spool.Config{Dir: a.Paths.Spool()})
		for end := time.Now().Add(daemon.StartTimeout); !sp.Empty(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) || ctx.Err() != nil {
				return errors.New("the daemon does not take them in")
			}
		}
		return nil
	}
	return a.Exclusively(ctx, func() error {
		h, err := daemon.New(ctx, a.Sys, a.Paths, slog.New(slog.DiscardHandler), daemon.Extension{})
		if err != nil {
			return err
		}
		left, err := h.DrainSpool(ctx)
		if left > 0 {
			err = fmt.Errorf("%s cannot be kept", ui.Plural(left, "event", "events"))
		}
		return errors.Join(err, h.Store.Close())
	})
}

func (a *Checks) checkDropped() Check {
	var why []string
	for reason, n := range hookclient.LostEvents(a.Paths) {
		why = append(why, fmt.Sprintf("%d %s", n, lossReason(reason)))
	}
	if slices.Sort(why); len(why) > 0 {
		return Bad("capture", false, fault.Dropped.Because("%s", strings.Join(why, ", "))).
			Safely(func(context.Context) error { return hookclient.ResetLost(a.Paths) })
	}
	return Good("capture", false, "no event was lost")
}

// lossReason says why events of a counter of the spool were lost.
func lossReason(counter string) string {
	if kind, full := strings.CutPrefix(counter, "refused-"); full {
		return kind + " while the spool was full"
	}
	switch counter {
	case "damaged":
		return "damaged in the spool"
	case "defect":
		return "that the store did not take"
	}
	return counter
}

// checkPrograms looks for several of us on the search path.
func (a *Checks) checkPrograms() Check {
	name := "remanence"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	var found []string
	var infos []fs.FileInfo
	for _, dir := range filepath.SplitList(a.Sys.Getenv("PATH")) {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(dir) || knownFile(infos, info) {
			continue
		}
		found, infos = append(found, file), append(infos, info)
	}
	if len(found) > 1 {
		return Bad("programs", false, fault.Path.Because("%s", strings.Join(found, ", ")))
	}
	return Good("programs", false, "at most one remanence is on the search path")
}

func knownFile(infos []fs.FileInfo, info fs.FileInfo) bool {
	return slices.ContainsFunc(infos, func(i fs.FileInfo) bool { return os.SameFile(i, info) })
}

// scanWithin is how long doctor looks for secrets: a large store takes longer,
// and has a command of its own for it.
const scanWithin = 5 * time.Second

// CheckSecrets looks for what today's rules would not have let in.
func (a *Checks) CheckSecrets(ctx context.Context) Check {
	if a.Brief {
		return unread("secrets", false, "not looked for, all that is kept would be read: remanence privacy scan")
	}
	within, stop := context.WithTimeout(ctx, scanWithin)
	defer stop()
	got, err := daemon.Ask(within, a.Connection, api.Scan, event.ScanRequest{})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil: // which the connection may notice first
		return unread("secrets", false, "not looked at, that takes longer: remanence privacy scan")
	case err != nil:
		return Bad("secrets", false, daemon.Explain(err))
	}
	var kinds []string
	for _, f := range got.Finds {
		if f.Kind != erase.PrivateSpan { // has a check of its own
			kinds = append(kinds, fmt.Sprintf("%d %s in %s", f.Count, f.Kind, f.Where))
		}
	}
	if len(kinds) > 0 {
		return Bad("secrets", false, fault.Secrets.Because("%s", strings.Join(kinds, ", ")))
	}
	return Good("secrets", false, "none in %s", ui.Plural(got.Records, "record", "records"))
}

func (a *Checks) checkPlace() Check {
	kind := daemon.FileSystem(a.Paths.Data)
	if kind == "" {
		kind = syncedFolder(a.Paths.Data)
	}
	if kind != "" {
		return Bad("place", false, fault.Network.Because("%s is on %s", a.Paths.Data, kind))
	}
	return Good("place", false, "the data is on a local disk")
}

// syncedFolder names the service that keeps a directory in step with other
// machines, "" for none.
func syncedFolder(dir string) string {
	for _, part := range strings.Split(filepath.ToSlash(dir), "/") {
		for _, service := range []string{
			"Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "My Drive", "Nextcloud",
			"ownCloud", "Mobile Documents", "iCloud Drive", "CloudStorage", "Syncthing",
		} {
			if part == service || strings.HasPrefix(part, service+" ") { // "OneDrive - Example Ltd"
				return part + ", a synchronised folder"
			}
		}
	}
	return ""
}

func (a *Checks) checkDisk() Check { return DiskItem(daemon.FreeBytes(a.Paths.Data)) }

// DiskItem judges the free space.
func DiskItem(free int64, ok bool) Check {
	switch {
	case !ok:
		return Good("disk", false, "free space is not known here")
	case free < diskFull:
		return Bad("disk", false, fault.DiskFull.Because("%s are free", ui.BytesText(free)))
	case free < diskLow:
		return Bad("disk", false, fault.DiskLow.Because("%s are free", ui.BytesText(free)))
	}
	return Good("disk", false, "%s free", ui.BytesText(free))
}

func (a *Checks) checkConfig() []Check {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		cfg.Warnings = append([]string{err.Error()}, cfg.Warnings...)
	}
	list := []Check{Good("config", false, "no mistakes")}
	if len(cfg.Warnings) > 0 {
		list[0] = Bad("config", false, fault.Config.Because("%s", strings.Join(cfg.Warnings, "; ")))
	}
	var overrides []string
	for _, v := range cfg.Values {
		if v.Origin != "default" && v.Origin != "file" {
			overrides = append(overrides, fmt.Sprintf("%s sets %s to %s", v.Origin, v.Key, config.SettingOf(v).ValueText()))
		}
	}
	if len(overrides) > 0 {
		list = append(list, note("override", fault.Overridden.Because("%s", strings.Join(overrides, "; "))))
	}
	if config.Get[string](cfg, "profile") == "silent" {
		list = append(list,
			note("profile",
				fault.SwitchedOff.WithMessage("nothing is injected, only captured").Because("profile is silent").
					FixedBy("remanence config set profile lean")))
	}
	return list
}

// Repair does the fixes that are safe and returns what it did.
func (a *Checks) Repair(ctx context.Context, checks []Check) []string {
	did, todo, codes := []string{}, []Check{}, map[string]bool{}
	for _, c := range checks {
		if c.Repair == nil || c.State == setup.OK || codes[ui.Deref(c.Code)] {
			continue
		}
		codes[ui.Deref(c.Code)] = true
		todo = append(todo, c)
		a.Out.Say("to fix: %s %s", ui.Deref(c.Code), ui.OneLine(c.What))
	}
	for _, c := range todo {
		a.Out.Say("fixing %s: %s", c.ID, c.What)
		if err := c.Repair(ctx); err != nil {
			a.Out.Say("  did not work: %s", ui.OneLine(err.Error()))
			continue
		}
		did = append(did, c.What)
	}
	return did
}
