package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"remanence/internal/mem"
	"remanence/internal/setup"
)

// Paths are the places of one user's files. All are absolute.
type Paths struct {
	Config string // config.toml
	Data   string // directory: database, worker's lock
	State  string // directory: install records, the machine's secret
	// Work is the directory of what belongs to one data directory and its
	// worker: spool, log, runtime file. It is State for the user's own data
	// directory, and for any other that directory itself: what is on its way to
	// one database never reaches another.
	Work string
	Run  string // directory of the socket
}

// ErrNoHome means that no directory of the user's is known.
var ErrNoHome = errors.New("neither HOME nor the XDG directories are set")

// FindPaths finds the places from the environment; data overrides the data directory.
func FindPaths(getenv func(string) string, data string) (Paths, error) {
	return pathsOn(runtime.GOOS, getenv, data)
}

func pathsOn(goos string, getenv func(string) string, data string) (Paths, error) {
	home := getenv("HOME")
	base := func(name, fallback string) string {
		if v := getenv(name); filepath.IsAbs(v) {
			return filepath.Join(v, "remanence")
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, fallback, "remanence")
	}
	config, state, own := base("XDG_CONFIG_HOME", ".config"), base("XDG_STATE_HOME", ".local/state"), base("XDG_DATA_HOME",
		".local/share")
	if local := getenv("LOCALAPPDATA"); goos == "windows" && local != "" {
		config = filepath.Join(local, "remanence")
		state, own = filepath.Join(config, "state"), filepath.Join(config, "data")
	}
	if data == "" {
		data = getenv("REMANENCE_DATA_DIR")
	}
	if data == "" {
		data = own
	}
	if config == "" || state == "" || data == "" {
		return Paths{}, ErrNoHome
	}
	p := Paths{Config: filepath.Join(config, "config.toml"), Data: data, State: state}
	if v := getenv("REMANENCE_CONFIG"); v != "" {
		p.Config = v
	}
	// A process that is started from here may have another working directory.
	for _, path := range []*string{&p.Config, &p.Data, &p.State} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return Paths{}, fmt.Errorf("find %s: %w", *path, err)
		}
		*path = abs
	}
	p.Work = p.Data
	if SameDir(p.Data, own) {
		p.Work = p.State
	}
	p.Run = filepath.Dir(p.Runtime())
	if v := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(v) && p.isDefault() {
		p.Run = filepath.Join(v, "remanence")
	}
	return p, nil
}

// HomeDir is the person's home directory, by the name that the system has for it.
func HomeDir(getenv func(string) string) string {
	return cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
}

// isDefault reports whether the data directory is the user's own, the one that hooks
// use unless their environment names another.
func (p Paths) isDefault() bool { return p.Work == p.State }

// SameDir reports whether two paths name one directory.
func SameDir(a, b string) bool {
	if a == b || a == "" || b == "" {
		return a == b
	}
	return setup.SameFile(a, b)
}

// Database is the path of the SQLite file.
func (p Paths) Database() string { return filepath.Join(p.Data, "remanence.db") }

// Lock is the path of the worker's lock.
func (p Paths) Lock() string { return filepath.Join(p.Data, "worker.lock") }

// Runtime is the path of the runtime file of the data directory's worker. It is
// the same whatever the environment's runtime directory, so that every hook
// finds the same worker.
func (p Paths) Runtime() string { return filepath.Join(p.Work, "run", "runtime.json") }

// Spool is the directory of events that no daemon has stored yet.
func (p Paths) Spool() string { return filepath.Join(p.Work, "spool") }

// Transcripts is the directory of archived conversations.
func (p Paths) Transcripts() string { return filepath.Join(p.Data, "transcripts") }

// Vault is the directory of the person's memory in files, if no other is configured.
func (p Paths) Vault() string { return filepath.Join(p.Data, "vault") }

// Log is the path of the log file.
func (p Paths) Log() string { return filepath.Join(p.Work, "log", "remanence.log") }

// Installs is the directory of install records.
func (p Paths) Installs() string { return filepath.Join(p.State, "install") }

// Key is the path of the machine's own secret, see Secret.
func (p Paths) Key() string { return filepath.Join(p.State, "key") }

// Notices is the path of the record of warnings already shown.
func (p Paths) Notices() string { return filepath.Join(p.Work, "notices.json") }

// TroubleFile is the path of the record of what keeps the daemon from working.
func (p Paths) TroubleFile() string { return filepath.Join(filepath.Dir(p.Runtime()), "trouble.json") }

// made lists the directories that did not exist before ours, one a line, the outermost first. They are removed
// when they are empty.
func (p Paths) made() string { return filepath.Join(p.Work, "made") }

// UninstalledMark is the file that marks an uninstall that kept the data.
func (p Paths) UninstalledMark() string { return filepath.Join(p.Work, "uninstalled") }

// ErrNoPlace means that what has to be there cannot be made.
var ErrNoPlace = errors.New("there is no place for what is kept")

// MakeWork creates the work directory if it does not exist.
func (p Paths) MakeWork() error {
	if Exists(p.Work) {
		return nil
	}
	dirs := []string{p.Work}
	if p.isDefault() {
		dirs = append(dirs, p.Data, filepath.Dir(p.Config))
	}
	var missing []string
	for _, dir := range dirs {
		for ; !Exists(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if !slices.Contains(missing, dir) {
				missing = append(missing, dir)
			}
		}
	}
	slices.Sort(missing) // a directory comes before what is in it
	if err := os.MkdirAll(p.Work, 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrNoPlace, err)
	}
	return os.WriteFile(p.made(), []byte(strings.Join(missing, "\n")+"\n"), 0o600)
}

// decisionsLock is locked while such a file is changed.
func (p Paths) decisionsLock() string { return filepath.Join(p.State, "turn.lock") }

// WithLock runs f, which reads and rewrites a file of a person's decisions, under a lock, so that no change is
// overwritten.
func (p Paths) WithLock(do func() error) error {
	if err := p.MakeWork(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrNoPlace, err)
	}
	l := flock.New(p.decisionsLock(), flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return fmt.Errorf("%w: %w", ErrNoPlace, err)
	}
	defer l.Close()
	return do()
}

// ClearUninstalled ends the uninstalled state: the person, or a client with our hooks, wants Remanence back.
func (p Paths) ClearUninstalled() error {
	if err := os.Remove(p.UninstalledMark()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("end the uninstalled state: %w", err)
	}
	return p.MakeWork()
}

// MarkUninstalled records that Remanence was uninstalled.
func (p Paths) MarkUninstalled() error {
	if err := os.WriteFile(p.UninstalledMark(), nil, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep hooks out: %w", err)
	}
	return nil
}

// Uninstalled reports whether Remanence was never installed here, or was uninstalled. If that cannot be read,
// it is installed.
func (p Paths) Uninstalled(getenv func(string) string) bool {
	if Exists(p.UninstalledMark()) {
		return true
	}
	_, err := os.Lstat(p.Work)
	return errors.Is(err, fs.ErrNotExist) && (!p.isDefault() || IsDir(getenv("HOME")))
}

// FileParts returns the sizes of the files around the database. It needs no daemon. An unreadable file counts
// as 0 bytes.
func (p Paths) FileParts() []mem.Part {
	parts := []mem.Part{
		{Name: mem.PartSpool},
		{Name: mem.PartBackups},
		{Name: mem.PartTranscripts},
		{Name: mem.PartLog},
		{Name: mem.PartFiles},
	}
	dirs := []string{p.Data}
	if !SameDir(p.State, p.Data) {
		dirs = append(dirs, p.State)
	}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			for i := range parts {
				if parts[i].Name == p.partOf(file) {
					parts[i].Bytes += info.Size()
					parts[i].Count++
				}
			}
			return nil
		})
	}
	return parts
}

// partOf returns the part that a file belongs to; "" for the database, whose parts the store reports.
func (p Paths) partOf(file string) mem.PartName {
	within := func(dir string) bool { return strings.HasPrefix(file, dir+string(filepath.Separator)) }
	switch db := p.Database(); {
	case file == db, file == db+"-wal", file == db+"-shm":
		return ""
	case strings.HasPrefix(file, db), within(filepath.Join(p.Data, "backups")):
		return mem.PartBackups
	case within(p.Transcripts()):
		return mem.PartTranscripts
	case within(p.Spool()):
		return mem.PartSpool
	case within(filepath.Dir(p.Log())):
		return mem.PartLog
	}
	return mem.PartFiles
}

// Inbox is the path of the count of the review queue.
func (p Paths) Inbox() string { return filepath.Join(p.Work, "inbox.json") }

// TrustedFile is the list of repositories that the person trusts.
func (p Paths) TrustedFile() string { return filepath.Join(p.State, "trusted.json") }
