//go:build fire && linux

package disk

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
	"remanence/test/tier"
	"remanence/test/world"
)

// heavy is an event that takes about 100 KB of the database's log, and cannot be
// made smaller.
func heavy(p *world.Person, id string) mem.Event {
	rng := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, 90<<10)
	for i := range b {
		b[i] = byte('a' + rng.IntN(26))
	}
	e := fat(p, id)
	e.Response, _ = json.Marshal(map[string]string{"stdout": string(b)})
	e.Identify(id)
	return e
}

// grow hands the worker heavy events until the log has so many bytes.
func grow(t *testing.T, p *world.Person, c api.Client, wal string, bytes int64) (sent int) {
	t.Helper()
	for sizeOf(wal) < bytes {
		if sent++; sent > 3000 {
			t.Fatalf("the log has %d bytes after %d events", sizeOf(wal), sent)
		}
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		if _, err := c.Handle(ctx, heavy(p, fmt.Sprintf("heavy-%d", sent))); err != nil {
			t.Fatal(err)
		}
		stop()
	}
	return sent
}

// TestALongReaderDoesNotHideTheSizeOfTheLog keeps another program reading while
// much is written: the log cannot be folded in, and that is reported. It is short
// again once the reader is gone.
func TestALongReaderDoesNotHideTheSizeOfTheLog(t *testing.T) {
	p := world.NewPerson(t)
	rt := p.StartWorker()
	db := filepath.Join(p.Data(), "remanence.db")
	c := rt.Client("heavy")
	sent := grow(t, p, c, db+"-wal", 1<<20)
	reader, err := sql.Open("sqlite", "file://"+db+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	long, err := reader.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := long.QueryRow("SELECT count(*) FROM event").Scan(&n); err != nil {
		t.Fatal(err)
	}
	sent = max(sent, grow(t, p, c, db+"-wal", 65<<20))
	a := p.Hook(p.Payload("SessionStart.startup", map[string]any{"session_id": "beside-a-reader"}))
	polite(t, "beside a reader", a)
	if !strings.Contains(string(a.Stdout), "log has grown") {
		t.Errorf("the log has %d bytes, and %q is reported", sizeOf(db+"-wal"), a.Stdout)
	}
	if out, _ := p.Command("doctor").CombinedOutput(); !strings.Contains(string(out), "REM-S018") {
		t.Errorf("the doctor says nothing of it:\n%s", out)
	}
	if err := long.Rollback(); err != nil {
		t.Fatal(err)
	}
	for i := range 40 { // after a vain try some go by before the next
		if _, err := c.Handle(t.Context(), fat(p, fmt.Sprintf("later-%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if n := sizeOf(db + "-wal"); n > 32<<20 {
		t.Errorf("the reader is gone, and the log still has %d bytes", n)
	}
	p.StopWorker()
	if got := tools(t, p); len(got) < sent {
		t.Errorf("%d events are there, want %d at least", len(got), sent)
	}
}

// TestWithoutReadersTheLogIsBounded writes more than the log may have.
func TestWithoutReadersTheLogIsBounded(t *testing.T) {
	p := world.NewPerson(t)
	rt := p.StartWorker()
	wal := filepath.Join(p.Data(), "remanence.db-wal")
	longest := int64(0)
	for i := range tier.Runs(360, 5_000) {
		if _, err := rt.Client("heavy").Handle(t.Context(), heavy(p, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		longest = max(longest, sizeOf(wal))
	}
	t.Logf("the log had %d bytes at most", longest)
	if longest > 64<<20 {
		t.Errorf("the log had %d bytes, want 64 MB at most", longest)
	}
	p.StopWorker()
}

// TestALongLogIsOpenedInTime starts the worker over a log that a killed program
// left, of 100 MB, or 2 GB in the long run.
func TestALongLogIsOpenedInTime(t *testing.T) {
	p := world.NewPerson(t)
	p.StartWorker()
	p.StopWorker()
	path := filepath.Join(p.Data(), "remanence.db")
	size := int64(tier.Runs(100, 2_000)) << 20
	leaveLog(t, path, size)
	if n := sizeOf(path + "-wal"); n < size {
		t.Fatalf("the log has %d bytes, want %d", n, size)
	}
	begun := time.Now()
	p.StartWorker() // which gives up after 10 s
	t.Logf("a log of %d MB was taken in within %s", size>>20, time.Since(begun).Round(time.Millisecond))
	polite(t, "over a long log", p.Hook(tool(p, "late")))
	p.StopWorker()
	if got := tools(t, p); got["late"] != 1 {
		t.Errorf("the event over a long log is there %d times", got["late"])
	}
}

// leaveLog makes a log as long as wanted, as a killed program leaves it.
func leaveLog(t *testing.T, path string, size int64) {
	t.Helper()
	db, err := sql.Open("sqlite", "file://"+path+"?_pragma=wal_autocheckpoint(0)&_pragma=synchronous(OFF)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE ballast (x BLOB)"); err != nil {
		t.Fatal(err)
	}
	for sizeOf(path+"-wal") < size {
		if _, err := db.Exec("INSERT INTO ballast VALUES (zeroblob(1000000))"); err != nil {
			t.Fatal(err)
		}
	}
	// A copy is what a kill leaves: closing would fold the log in.
	for _, name := range []string{path, path + "-wal"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name+".left", b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = db.Close()
	for _, name := range []string{path, path + "-wal"} {
		if err := os.Rename(name+".left", name); err != nil {
			t.Fatal(err)
		}
	}
}

// diskFile is where it stands which file systems are shared.
const diskFile = "internal/daemon/disk_linux.go"

// onNFS builds the program as if every directory were on a network file system.
func onNFS(t *testing.T) string {
	t.Helper()
	return variant(t, "nfs", map[string]func(string) string{
		diskFile: instead("	switch uint32(st.Type) {",
			"	if st.Bsize >= 0 {\n		return \"NFS\"\n	}\n	switch uint32(st.Type) {"),
	})
}

// TestPowerCutsOnASharedDisk is the story of a life without the log.
func TestPowerCutsOnASharedDisk(t *testing.T) {
	f := shoot(t, "life", onNFS(t), "")
	for _, c := range f.calls {
		if strings.HasSuffix(c.fd, "-wal") {
			t.Fatalf("%s of %s: there is a log on a shared disk", c.name, c.fd)
		}
	}
	f.cuts(t, tier.Runs(100, 2_000)).clean(t)
}

// TestLocalFileSystemsGetALog has the database on the kinds of file system on
// which the log works: what is in memory, and a layered one.
func TestLocalFileSystemsGetALog(t *testing.T) {
	needRoot(t)
	for _, kind := range []string{"tmpfs", "overlay"} {
		t.Run(kind, func(t *testing.T) {
			p := world.NewPerson(t)
			base := scratch(t)
			options := ""
			if kind == "overlay" {
				options = fmt.Sprintf("lowerdir=%s/low,upperdir=%s/up,workdir=%s/work", base, base, base)
			}
			for _, d := range []string{p.Data(), base + "/low", base + "/up", base + "/work"} {
				if err := os.MkdirAll(d, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := unix.Mount(kind, p.Data(), kind, 0, options); err != nil {
				t.Skipf("NOT PROVED: cannot mount %s: %v", kind, err)
			}
			defer func() { _ = unix.Unmount(p.Data(), unix.MNT_DETACH) }()
			p.StartWorker()
			polite(t, kind, p.Hook(tool(p, "local")))
			if sizeOf(filepath.Join(p.Data(), "remanence.db-wal")) <= 0 {
				t.Error("there is no log")
			}
			p.StopWorker()
			if st, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(p.Data(), "remanence.db")}); err != nil {
				t.Error(err)
			} else if err := st.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
