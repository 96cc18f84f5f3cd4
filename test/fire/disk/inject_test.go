//go:build fire && linux

package disk

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"remanence/internal/spool"
	"remanence/internal/store/sqlite"
	"remanence/test/tier"
	"remanence/test/world"
)

// A fault is what a call answers from the k-th time on that a thread makes it, or
// that once.
type fault struct {
	call, errno string
	k           int
	stays       bool
}

func (f fault) String() string {
	s := fmt.Sprintf("%s:%s:%d", f.call, f.errno, f.k)
	if f.stays {
		s += "+"
	}
	return s
}

// around makes a command one in which the fault happens. Opening and writing
// fail on the person's files alone where those are named: Go's runtime opens
// files of the system, and wakes its threads by a write that no disk can make
// fail; it ends the process when that fails.
func (f fault) around(cmd *exec.Cmd, record string, files ...string) {
	when := fmt.Sprint(f.k)
	if f.stays {
		when += "+"
	}
	args := []string{"-o", record, "-e", "trace=" + f.call, "-e", "inject=" + f.call + ":error=" + f.errno + ":when=" +
		when}
	if f.call == "write" || f.call == "openat" {
		for _, file := range files {
			args = append(args, "-P", file)
		}
	}
	wrap(cmd, args...)
}

// happened reports whether a fault that was around a command came about.
func happened(record string) bool {
	b, _ := os.ReadFile(record)
	return bytes.Contains(b, []byte("(INJECTED)"))
}

// wrap runs a command under strace, which says nothing.
func wrap(cmd *exec.Cmd, args ...string) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		strace = "strace" // running it says why
	}
	all := append([]string{"strace", "-f", "-qq", "--seccomp-bpf", "-e", "signal=none"}, args...)
	cmd.Args = append(append(all, cmd.Path), cmd.Args[1:]...)
	cmd.Path = strace
}

// faults are all that may happen to calls up to the k-th.
func faults(upTo map[string]int) []fault {
	errnos := map[string][]string{
		"fsync": {"EIO", "ENOSPC"}, "pwrite64": {"EIO", "ENOSPC", "EDQUOT"}, "write": {"EIO", "ENOSPC", "EDQUOT"},
		"openat": {"EIO", "ENOSPC", "EROFS", "EACCES"}, "open": {"EIO", "ENOSPC", "EROFS", "EACCES"}, "ftruncate": {"EIO"},
		"renameat": {"EIO", "ENOSPC", "EROFS"}, "mkdirat": {"ENOSPC", "EROFS"}, "unlinkat": {"EIO", "EROFS"},
		"unlink":  {"EIO", "EROFS"},
		"pread64": {"EIO"}, "flock": {"EIO", "ENOLCK"}, "fcntl": {"EIO", "ENOLCK"}, "fchmod": {"EIO", "EROFS"},
	}
	var all []fault
	for call, most := range upTo {
		for _, e := range errnos[call] {
			for k := 1; k <= most; k++ {
				all = append(all, fault{call, e, k, false}, fault{call, e, k, true})
			}
		}
	}
	return all
}

// choose takes some of the faults at random, all of them in the long run.
func choose(t *testing.T, all []fault, n int) []fault {
	rng := tier.Rand(t)
	byCall := map[string][]fault{}
	var calls []string
	for _, f := range all {
		if byCall[f.call] == nil {
			calls = append(calls, f.call)
		}
		byCall[f.call] = append(byCall[f.call], f)
	}
	slices.Sort(calls)
	if tier.IsLong() {
		n = len(all)
	}
	var chosen []fault
	for i := 0; len(chosen) < n; i++ { // every call has its turn
		call := calls[i%len(calls)]
		left := byCall[call]
		if len(left) == 0 {
			continue
		}
		at := rng.IntN(len(left))
		chosen = append(chosen, left[at])
		left[at] = left[len(left)-1]
		byCall[call] = left[:len(left)-1]
	}
	return chosen
}

// tool is the payload of a tool's call that is like no other.
func tool(p *world.Person, id string) []byte {
	return p.Payload("PostToolUse.Bash", map[string]any{"session_id": "disk-session", "tool_use_id": id})
}

// polite fails the test unless a hook ended as agents need it.
func polite(t *testing.T, what string, a world.Answer) {
	t.Helper()
	if a.Status != 0 || len(a.Stderr) > 0 {
		t.Errorf("%s: the hook ended with %d and said %q on its error output, want 0 and silence", what, a.Status, a.Stderr)
	}
	if out := bytes.TrimSpace(a.Stdout); len(out) > 0 && !json.Valid(out) {
		t.Errorf("%s: the hook said %q, want nothing or one object", what, a.Stdout)
	}
}

// tools are the ids of the tool calls that a person's database holds, how often.
// It has been looked at whole before; the worker has to be down.
func tools(t *testing.T, p *world.Person) map[string]int {
	t.Helper()
	st, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(p.Data(), "remanence.db")})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer st.Close()
	if a, err := st.Audit(t.Context(), false); err != nil || !a.OK() {
		t.Errorf("audit: %+v, %v", a, err)
	}
	// Past the store: of what a damaged page held, some may not be readable any more.
	db, err := sql.Open("sqlite", "file://"+filepath.Join(p.Data(), "remanence.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT tool_use_id FROM event WHERE tool_use_id<>''")
	if err != nil {
		t.Fatalf("events: %v", err)
	}
	defer rows.Close()
	ids := map[string]int{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatalf("events: %v", err)
		}
		ids[id]++
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("events: %v", err)
	}
	return ids
}

// settle lets an undisturbed worker take everything in, and ends it.
func settle(t *testing.T, p *world.Person) {
	t.Helper()
	p.StartWorker()
	if !p.Eventually(p.Spool().Empty) {
		st, err := p.Spool().Stat()
		t.Errorf("the spool is not taken in: %+v, %v", st, err)
	}
	p.StopWorker()
}

// allThere compares what was sent with what is kept. What hooks counted as
// dropped may be missing, and so many that could not even be counted.
func allThere(t *testing.T, p *world.Person, sent []string, uncounted int) {
	t.Helper()
	settle(t, p)
	got := tools(t, p)
	var missing, twice []string
	for _, id := range sent {
		switch {
		case got[id] == 0:
			missing = append(missing, id)
		case got[id] > 1:
			twice = append(twice, id)
		}
	}
	t.Logf("%d sent, %d dropped and counted", len(sent), len(missing))
	if len(missing) > dropped(p)+uncounted || len(twice) > 0 {
		t.Errorf("missing %v, twice %v, counted as dropped %d", missing, twice, dropped(p))
	}
}

// dropped is how many events hooks had to drop, and counted.
func dropped(p *world.Person) int {
	sum := 0
	for _, n := range spool.Counters(filepath.Join(p.State(), "spool")) {
		sum += int(n)
	}
	return sum
}

// stateFiles are the files of a person that hooks and worker open and write,
// other than the database.
func stateFiles(p *world.Person) []string {
	var files []string
	for _, name := range []string{
		"run/runtime.json", "run/hold", "run/slow", "run/start", "key", "log/remanence.log",
		"spool/log.lock", "spool/drain.lock", "spool/pending", "spool/pending/events.log",
	} {
		files = append(files, filepath.Join(p.State(), name))
	}
	return files
}

// TestHooksSurviveFailingCalls lets calls of hooks fail: with a worker that
// answers, with none, and with none while the spool's log is locked.
func TestHooksSurviveFailingCalls(t *testing.T) {
	needStrace(t)
	p := world.NewPerson(t)
	p.StartWorker()
	all := faults(map[string]int{"openat": 4, "write": 2, "renameat": 1, "mkdirat": 2, "flock": 2, "fchmod": 1})
	var sent []string
	real := 0
	helpless := 0 // hooks for which nothing could be opened or written any more, so neither could a count
	for i, f := range choose(t, all, 24) {
		id := fmt.Sprintf("hook-%d-%s", i, f)
		free := func() {}
		if f.call != "openat" || i%2 == 0 {
			hold(t, p) // as if a worker had not answered just before
		}
		if f.call == "renameat" || f.call == "fchmod" {
			free = lockSpool(t, p)
		}
		record := filepath.Join(t.TempDir(), "record")
		cmd := p.HookCommand(tool(p, id))
		f.around(cmd, record, stateFiles(p)...)
		polite(t, id, p.Await(cmd))
		free()
		sent = append(sent, id)
		if happened(record) {
			real++
		}
		if f.stays && f.call != "flock" {
			helpless++
		}
	}
	p.StopWorker()
	allThere(t, p, sent, helpless)
	enough(t, real, len(sent))
}

// lockSpool keeps hooks from the spool's log until free is called.
func lockSpool(t *testing.T, p *world.Person) (free func()) {
	t.Helper()
	dir := filepath.Join(p.State(), "spool")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l := flock.New(filepath.Join(dir, "log.lock"), flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		t.Fatal(err)
	}
	return func() { _ = l.Close() }
}

// enough fails a test whose faults hardly ever came about.
func enough(t *testing.T, real, points int) {
	t.Helper()
	t.Logf("%d of %d faults came about", real, points)
	if real*3 < points {
		t.Errorf("%d of %d faults came about, want a third at least", real, points)
	}
}

// hold keeps hooks off the worker for some seconds.
func hold(t *testing.T, p *world.Person) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.State(), "run", "hold"), []byte("9.0.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTheDaemonSurvivesFailingCalls lets calls of workers fail while hooks report
// events: whatever becomes of the worker, nothing is lost.
func TestTheDaemonSurvivesFailingCalls(t *testing.T) {
	needStrace(t)
	all := faults(map[string]int{
		"fsync": 8, "pwrite64": 40, "write": 8, "open": 8, "openat": 6, "ftruncate": 2,
		"renameat": 2, "unlink": 2, "pread64": 12, "fcntl": 12,
	})
	chosen := choose(t, all, 16)
	for half := range 2 {
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			t.Parallel()
			p := world.NewPerson(t)
			var sent []string
			real, points := 0, 0
			for i := half; i < len(chosen); i += 2 {
				record := filepath.Join(t.TempDir(), "record")
				sent = append(sent, disturbed(t, p, chosen[i], i, record)...)
				if points++; happened(record) {
					real++
				}
			}
			allThere(t, p, sent, 0)
			enough(t, real, points)
			if lost := spool.Counters(filepath.Join(p.State(), "spool")); int64(dropped(p)) > lost[outOfTime] {
				t.Errorf("events were dropped: %v", lost)
			}
		})
	}
}

// outOfTime counts the events that a machine too busy for the hook's hard limit
// has cost.
const outOfTime = "time"

// disturbed has a worker live through a fault while events come, and ends it.
func disturbed(t *testing.T, p *world.Person, f fault, n int, record string) (sent []string) {
	t.Helper()
	cmd := p.Command("daemon", "run", "--background")
	f.around(cmd, record, stateFiles(p)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	before := time.Now()
	for time.Since(before) < 3*time.Second {
		if rt, err := p.Runtime(); err == nil && rt.Started.After(before) || isClosed(ended) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for i := range 4 {
		id := fmt.Sprintf("worker-%d-%d-%s", n, i, f)
		polite(t, id, p.Hook(tool(p, id)))
		sent = append(sent, id)
	}
	// a fault of one thread alone: another may read what seemed damaged
	if code := troubleOf(p); code == "REM-S002" && f.call != "pread64" {
		t.Errorf("%s: the fault is taken for damage", f)
	}
	if !p.Eventually(func() bool { return endWorkers(p) == 0 }) {
		t.Errorf("%s: the worker does not end: %v", f, p.Processes())
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	<-ended
	return sent
}

// endWorkers asks the workers to end, the disturbed one and those that took its
// place, and returns how many there were.
func endWorkers(p *world.Person) int {
	n := 0
	for pid, cmd := range p.Processes() {
		if strings.Contains(cmd, "daemon run") && !strings.HasPrefix(cmd, "strace") {
			_ = syscall.Kill(pid, syscall.SIGTERM)
			n++
		}
	}
	return n
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// troubleOf is the code of what keeps the person's worker from working, "" for nothing.
func troubleOf(p *world.Person) string {
	b, err := os.ReadFile(filepath.Join(p.State(), "run", "trouble.json"))
	var t struct{ Code string }
	if err != nil || json.Unmarshal(b, &t) != nil {
		return ""
	}
	return strings.TrimSpace(t.Code)
}
