package cli

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
	"remanence/internal/erase"
	"remanence/internal/event"
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
	mayBeOpen = 0o077           // bits of a mode that nobody else may have
)

// examine runs every check.
func (a *app) examine(ctx context.Context) []checkItem {
	a.close()
	a.caller, a.close = nil, func() {} // a repair may have replaced what was connected to
	modes := a.checkModes()            // whoever opens the store closes it to others
	nothing := a.visits(ctx)
	daemon, o := a.checkDaemon(ctx, nothing)
	waiting := a.checkSpool(ctx) // before anything that takes it in
	list := []checkItem{daemon, modes, a.checkTrip(ctx)}
	list = append(list, a.checkSetup()...)
	list = append(list, a.checkCleanup()...)
	list = append(list, a.checkTrust(o)...)
	list = append(list, a.checkPluginCache()...)
	list = append(list, a.checkServer(ctx)...)
	if o != nil {
		list = append(list, a.checkHTTP(ctx)...)
		list = append(list, a.checkStore(ctx)...)
		list = append(list, checkQueue(*o), checkHooks(*o), checkKeeping(o.Health.FailedInRow), checkFiring(a.records(), *o, a.sys.Now()), checkClock(*o, a.sys.Now()))
		list = append(list, a.checkEmbedding(ctx)...)
		list = append(list, a.checkDigest(ctx)...)
		list = append(list, a.checkSecrets(ctx))
		list = append(list, a.checkBriefing(ctx)...)
		list = append(list, a.checkVault()...)
	} else {
		list = append(list, a.checkClosedStore(ctx)...)
	}
	list = append(list, waiting, a.checkDropped(), a.checkPlace(), a.checkDisk(), a.checkLog(), a.checkPrograms())
	list = append(list, a.checkConfig()...)
	list = append(list, a.checkMind()...)
	if o != nil {
		if it := pauseHere(pausesOf(o.Pauses), o.Project.Key); it != nil {
			list = append(list, note("pause", faultOff.about("it is paused").because("%s", it.sentence(a.sys.Now())).fixedBy(it.end())))
		}
	}
	return list
}

// checkHooks looks at how long the newest hooks took.
func checkHooks(o views.StatusResponse) checkItem {
	if p95 := o.Health.HookP95MS; p95 > slowHook {
		return bad("hooks", false, faultSlowHooks.because("p95 %.0f ms of the newest, half of them within %.0f ms", p95, o.Health.HookP50MS))
	}
	if o.Health.HookErrors > 0 {
		return bad("hooks", false, faultDropped.about("events could not be answered").because("%d of %d", o.Health.HookErrors, o.Health.Hooks))
	}
	return good("hooks", false, "%s answered, p95 %.0f ms", plural(int(o.Health.Hooks), "event", "events"), o.Health.HookP95MS)
}

func checkQueue(o views.StatusResponse) checkItem {
	old := time.Duration(o.Health.OldestJobS * float64(time.Second))
	switch {
	case old > waitsTooLong:
		return bad("queue", true, faultStuck.because("%d jobs wait, the oldest for %s", o.Health.QueueDepth, lasted(old)))
	case o.Health.DeadJobs > 0:
		c := bad("queue", true, faultStuck.because("%s given up: %s", plural(o.Health.DeadJobs, "job was", "jobs were"), o.Health.LastError))
		c.State = setup.Warn
		return c
	}
	return good("queue", true, "%s waiting", plural(o.Health.QueueDepth, "job", "jobs"))
}

func checkClock(o views.StatusResponse, now time.Time) checkItem {
	if ahead := o.Stats.LastEvent.Sub(now); ahead > aheadMost {
		return bad("clock", false, faultClock.because("the last event is dated %s ahead", ago(ahead)))
	}
	return good("clock", false, "no record is dated in the future")
}

// checkModes looks whether others can read what is kept.
func (a *app) checkModes() checkItem {
	if runtime.GOOS == "windows" {
		return good("modes", true, "files belong to you")
	}
	open := a.paths.open()
	if len(open) == 0 {
		return good("modes", true, "only you can read the data")
	}
	return bad("modes", true, faultModes.because("%s", strings.Join(open, ", "))).safely(func(context.Context) error {
		return a.paths.shut()
	})
}

// open lists what others may read, with its mode.
func (p Paths) open() []string {
	var out []string
	for _, f := range p.private() {
		if info, err := os.Stat(f); err == nil && info.Mode().Perm()&mayBeOpen != 0 {
			out = append(out, fmt.Sprintf("%s %04o", f, info.Mode().Perm()))
		}
	}
	return out
}

// shut takes the rights of others away.
func (p Paths) shut() error {
	var errs []error
	for _, f := range p.private() {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm()&mayBeOpen == 0 {
			continue
		}
		errs = append(errs, os.Chmod(f, info.Mode().Perm()&^mayBeOpen))
	}
	return errors.Join(errs...)
}

// private lists what only the owner may read.
func (p Paths) private() []string {
	var db []string
	entries, _ := os.ReadDir(filepath.Dir(p.Database())) // no pattern: the path itself may hold what means something in one
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(p.Database())) {
			db = append(db, filepath.Join(filepath.Dir(p.Database()), e.Name()))
		}
	}
	return append([]string{p.Data, p.State, p.Spool(), filepath.Dir(p.Log()), p.Log(), filepath.Dir(p.Runtime()), p.Runtime(), p.Installs(), p.Key(), p.MCPToken()}, db...)
}

// checkSetup looks at the agent's settings.
func (a *app) checkSetup() []checkItem {
	c, err := a.setupConfig()
	if err != nil {
		return []checkItem{bad("claude", true, explain(nil, err))}
	}
	var list []checkItem
	for _, f := range setup.Check(c) {
		item := checkOf(f)
		if f.Safe {
			item.repair = func(context.Context) error { return setup.Repair(c, setup.Profile(a.profile())) }
		}
		list = append(list, item)
	}
	return list
}

// checkFiring looks whether hooks that are there report anything.
func checkFiring(records []setup.Record, o views.StatusResponse, now time.Time) checkItem {
	records = slices.DeleteFunc(slices.Clone(records), func(r setup.Record) bool { return r.Server }) // which reports nothing
	if len(records) > 0 && o.Stats.Events == 0 {
		if since := now.Sub(records[len(records)-1].When); since > silentFor {
			return bad("firing", false, faultSilent.because("they were installed %s ago", ago(since)))
		}
	}
	return good("firing", false, "%s kept", plural(o.Stats.Events, "event", "events"))
}

// records are the install records that can be read.
func (a *app) records() []setup.Record {
	list, _ := setup.Records(setup.Config{RecordDir: a.paths.Installs()}) // a damaged one is reported by its own check
	return list
}

// checkSpool gives a daemon that has just started the time to take events in.
func (a *app) checkSpool(ctx context.Context) checkItem {
	sp := spool.Open(spool.Config{Dir: a.paths.Spool()})
	st, err := sp.Stat()
	if _, _, rerr := a.running(ctx); rerr == nil && !a.flags.noDaemon {
		for end := time.Now().Add(settles); err == nil && st.Records > 0 && time.Now().Before(end); st, err = sp.Stat() {
			time.Sleep(50 * time.Millisecond)
		}
	}
	switch {
	case err != nil:
		return bad("spool", false, faultSpooled.about("the spool cannot be read").because("%s", err))
	case st.Records > 0:
		return bad("spool", false, faultSpooled.because("%s, the oldest for %s", plural(st.Records, "event", "events"), lasted(a.sys.Now().Sub(st.Oldest)))).
			safely(a.drainSpool)
	}
	return good("spool", false, "empty")
}

// drainSpool has what waits taken in: by the daemon, or here without it.
func (a *app) drainSpool(ctx context.Context) error {
	if !a.flags.noDaemon {
		if err := a.startDaemon(ctx); err != nil {
			return err
		}
		sp := spool.Open(spool.Config{Dir: a.paths.Spool()})
		for end := time.Now().Add(startWithin); !sp.Empty(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) || ctx.Err() != nil {
				return errors.New("the daemon does not take them in")
			}
		}
		return nil
	}
	return a.alone(ctx, func() error {
		h, err := build(ctx, a.sys, a.paths, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		left, err := h.takeSpool(ctx)
		if left > 0 {
			err = fmt.Errorf("%s cannot be kept", plural(left, "event", "events"))
		}
		return errors.Join(err, h.store.Close())
	})
}

func (a *app) checkDropped() checkItem {
	var why []string
	for reason, n := range a.paths.lost() {
		why = append(why, fmt.Sprintf("%d %s", n, reason))
	}
	if len(why) > 0 {
		return bad("capture", false, faultDropped.because("%s", strings.Join(why, ", "))).
			safely(func(context.Context) error { return a.paths.forgive() })
	}
	return good("capture", false, "no event was lost")
}

// checkPrograms looks for several of us on the search path.
func (a *app) checkPrograms() checkItem {
	name := "remanence"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	var found []string
	var infos []fs.FileInfo
	for _, dir := range filepath.SplitList(a.sys.Getenv("PATH")) {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(dir) || knownFile(infos, info) {
			continue
		}
		found, infos = append(found, file), append(infos, info)
	}
	if len(found) > 1 {
		return bad("programs", false, faultPath.because("%s", strings.Join(found, ", ")))
	}
	return good("programs", false, "at most one remanence is on the search path")
}

func knownFile(infos []fs.FileInfo, info fs.FileInfo) bool {
	return slices.ContainsFunc(infos, func(i fs.FileInfo) bool { return os.SameFile(i, info) })
}

// scanWithin is how long doctor looks for secrets: a large store takes longer,
// and has a command of its own for it.
const scanWithin = 5 * time.Second

// checkSecrets looks for what today's rules would not have let in.
func (a *app) checkSecrets(ctx context.Context) checkItem {
	if a.brief {
		return unread("secrets", false, "not looked for, all that is kept would be read: remanence privacy scan")
	}
	within, stop := context.WithTimeout(ctx, scanWithin)
	defer stop()
	got, err := ask(within, a, api.Scan, event.ScanRequest{})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil: // which the connection may notice first
		return unread("secrets", false, "not looked at, that takes longer: remanence privacy scan")
	case err != nil:
		return bad("secrets", false, explain(nil, err))
	}
	var kinds []string
	for _, f := range got.Finds {
		if f.Kind != erase.PrivateSpan { // has a check of its own
			kinds = append(kinds, fmt.Sprintf("%d %s in %s", f.Count, f.Kind, f.Where))
		}
	}
	if len(kinds) > 0 {
		return bad("secrets", false, faultSecrets.because("%s", strings.Join(kinds, ", ")))
	}
	return good("secrets", false, "none in %s", plural(got.Records, "record", "records"))
}

func (a *app) checkPlace() checkItem {
	kind := fileSystem(a.paths.Data)
	if kind == "" {
		kind = syncedFolder(a.paths.Data)
	}
	if kind != "" {
		return bad("place", false, faultNetwork.because("%s is on %s", a.paths.Data, kind))
	}
	return good("place", false, "the data is on a local disk")
}

// syncedFolder names the service that keeps a directory in step with other
// machines, "" for none.
func syncedFolder(dir string) string {
	for _, part := range strings.Split(filepath.ToSlash(dir), "/") {
		for _, service := range []string{"Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "My Drive", "Nextcloud", "ownCloud", "Mobile Documents", "iCloud Drive", "CloudStorage", "Syncthing"} {
			if part == service || strings.HasPrefix(part, service+" ") { // "OneDrive - Example Ltd"
				return part + ", a synchronised folder"
			}
		}
	}
	return ""
}

func (a *app) checkDisk() checkItem { return diskItem(freeBytes(a.paths.Data)) }

func diskItem(free int64, ok bool) checkItem {
	switch {
	case !ok:
		return good("disk", false, "free space is not known here")
	case free < diskFull:
		return bad("disk", false, faultFull.because("%s are free", bytesText(free)))
	case free < diskLow:
		return bad("disk", false, faultDisk.because("%s are free", bytesText(free)))
	}
	return good("disk", false, "%s free", bytesText(free))
}

func (a *app) checkConfig() []checkItem {
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	if err != nil {
		cfg.Warnings = append([]string{err.Error()}, cfg.Warnings...)
	}
	list := []checkItem{good("config", false, "no mistakes")}
	if len(cfg.Warnings) > 0 {
		list[0] = bad("config", false, faultConfig.because("%s", strings.Join(cfg.Warnings, "; ")))
	}
	var overrides []string
	for _, v := range cfg.Values {
		if v.Origin != "default" && v.Origin != "file" {
			overrides = append(overrides, fmt.Sprintf("%s sets %s to %s", v.Origin, v.Key, settingOf(v).text()))
		}
	}
	if len(overrides) > 0 {
		list = append(list, note("override", faultOverridden.because("%s", strings.Join(overrides, "; "))))
	}
	if value[string](cfg, "profile") == "silent" {
		list = append(list, note("profile", faultOff.about("nothing is told, only captured").because("profile is silent").fixedBy("remanence config set profile lean")))
	}
	return list
}

// repair does the fixes that are safe and returns what it did.
func (a *app) repair(ctx context.Context, checks []checkItem) []string {
	did, todo, codes := []string{}, []checkItem{}, map[string]bool{}
	for _, c := range checks {
		if c.repair == nil || c.State == setup.OK || codes[deref(c.Code)] {
			continue
		}
		codes[deref(c.Code)] = true
		todo = append(todo, c)
		a.out.say("to fix: %s %s", deref(c.Code), oneLine(c.What))
	}
	for _, c := range todo {
		a.out.say("fixing %s: %s", c.ID, c.What)
		if err := c.repair(ctx); err != nil {
			a.out.say("  did not work: %s", oneLine(err.Error()))
			continue
		}
		did = append(did, c.What)
	}
	return did
}

// bytesText is a size for people.
func bytesText(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e7:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%d KB", (n+999)/1000)
}
