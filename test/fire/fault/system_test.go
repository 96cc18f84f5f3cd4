//go:build fire && linux

package fault

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// injected is a prefix under which calls of the system fail: strace stands
// between, and steps aside where another program is started. When is strace's
// own word for which of a thread's calls.
func (s *scene) injected(calls, errno, when string) []string {
	return []string{
		"strace", "-f", "-qq", "-o", "/dev/null", "--detach-on=execve",
		"-e", "trace=" + calls, "-e", "signal=none", "-e", "inject=" + calls + ":error=" + errno + ":when=" + when,
	}
}

// disks are the ways in which nothing can be written.
func disks() []fault {
	return []fault{
		{name: "disk full, worker up", lay: fullDisk(".local", true), ends: stored + dropped},
		{name: "disk full, no worker", lay: fullDisk(".local", false), ends: dropped},
		{name: "disk of the database full", lay: fullDisk(".local/share", true), ends: stored + spooled},
		{name: "disk of the spool full", lay: fullDisk(".local/state", true), ends: stored + dropped},
		{name: "short write", lay: limited(stopsWorker, "--fsize=400"), ends: dropped},
		// Without a byte that may be written there is nothing to count with either.
		{name: "no write", lay: limited((*scene).worker, "--fsize=0"), ends: stored + nothing},
		{
			name: "writing fails", lay: failing("mkdirat,renameat,pwrite64,ftruncate,fchmod,flock", "EIO"), ends: dropped,
			slow: true,
		},
		{name: "opening fails", lay: failing("openat", "EIO"), ends: nothing, slow: true},
		{name: "home read-only, worker up", lay: readOnly(true), ends: stored + dropped},
		{name: "home read-only, no worker", lay: readOnly(false), ends: dropped},
		{name: "no right to write", lay: withoutRight, ends: dropped},
		{name: "no home", lay: func(s *scene) { s.env = []string{"HOME="} }, ends: nothing},
		{name: "home missing", lay: homeMissing, ends: dropped},
		{name: "home of another user", lay: (*scene).asOtherUser, ends: dropped}, // 0700, and root's
		{name: "spool at its cap", lay: cappedSpool, ends: dropped},
	}
}

// full writes zeros until nothing fits any more.
func (s *scene) full(dir string) {
	s.t.Helper()
	f, err := os.Create(filepath.Join(dir, "ballast"))
	s.need(err)
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
	s.lifting(func() { _ = os.Remove(filepath.Join(dir, "ballast")) })
}

// fullDisk is a small disk at a place in the person's home, filled.
func fullDisk(place string, worker bool) func(*scene) {
	return func(s *scene) {
		dir := filepath.Join(s.Home, place)
		s.mount("tmpfs", dir, "tmpfs", 0, "size=16m,mode=700")
		if place == ".local" { // hooks have no other disk; a short name, since a socket's path is bounded
			s.need(os.Mkdir(filepath.Join(dir, "t"), 0o700))
			s.env = []string{"TMPDIR=" + filepath.Join(dir, "t")}
		}
		s.worker()
		if !worker {
			s.StopWorker()
		}
		s.full(dir)
	}
}

func stopsWorker(s *scene) {
	s.worker()
	s.StopWorker()
}

// limited runs hooks under a limit of the system's.
func limited(before func(*scene), limits ...string) func(*scene) {
	return func(s *scene) {
		before(s)
		s.prefix = append([]string{"prlimit"}, limits...)
	}
}

// failing lets calls of the system fail in the hook, no worker being there.
func failing(calls, errno string) func(*scene) {
	return func(s *scene) {
		stopsWorker(s)
		s.prefix = s.injected(calls, errno, "1+")
	}
}

func readOnly(worker bool) func(*scene) {
	return func(s *scene) {
		s.worker()
		if !worker {
			s.StopWorker()
		}
		dir := filepath.Join(s.Home, ".local")
		s.mount(dir, dir, "", syscall.MS_BIND, "")
		s.need(syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""))
		s.lifting(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	}
}

// asOtherUser lets hooks run as a user without rights, to whom the paths that lead
// to the scene are open.
func (s *scene) asOtherUser() {
	if os.Getuid() != 0 {
		s.missing("root, to be another user")
	}
	top := filepath.Dir(s.Home)
	for _, dir := range []string{top, filepath.Dir(top), filepath.Dir(s.program())} {
		s.need(os.Chmod(dir, 0o711))
	}
	s.prefix = []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
}

// program is where the scene's hooks are.
func (s *scene) program() string { return s.Command().Path }

func withoutRight(s *scene) {
	s.asOtherUser()
	s.need(os.MkdirAll(filepath.Join(s.State(), "spool"), 0o755))
	s.need(os.MkdirAll(s.Data(), 0o755))
	for dir := s.State(); dir != filepath.Dir(s.Home); dir = filepath.Dir(dir) {
		s.need(os.Chmod(dir, 0o755))
	}
}

func homeMissing(s *scene) {
	s.asOtherUser()
	s.env = []string{"HOME=" + filepath.Join(s.Home, "no-such-directory")}
}

// cappedSpool leaves the spool no room, and the worker no database.
func cappedSpool(s *scene) {
	s.worker()
	s.StopWorker()
	rt, err := s.Runtime()
	s.need(err)
	small := rt
	small.SpoolBytes = 10
	s.need(small.Write(s.RuntimeFile()))
	was := s.version(0)
	s.version(9999)
	s.lifting(func() { s.version(was) })
}

// clocks are stamps of another time.
func clocks() []fault {
	stamps := func(at time.Duration) func(*scene) {
		return func(s *scene) {
			when := time.Now().Add(at)
			for _, name := range []string{"hold", "shy", "slow", "start"} {
				stamp := filepath.Join(s.run(), name)
				s.need(os.WriteFile(stamp, []byte("\n"), 0o600))
				s.need(os.Chtimes(stamp, when, when))
			}
			s.need(os.Chtimes(s.RuntimeFile(), when, when))
		}
	}
	started := func(at time.Duration) func(*scene) {
		return func(s *scene) {
			s.worker()
			rt, err := s.Runtime()
			s.need(err)
			rt.Started = time.Now().Add(at)
			s.need(rt.Write(s.RuntimeFile()))
		}
	}
	const year = 365 * 24 * time.Hour
	return []fault{
		{name: "clock set back a year", lay: started(year), each: stamps(year), ends: stored},
		{name: "clock set ahead a year", lay: started(-year), each: stamps(-year), ends: stored},
		{name: "clock set back, no worker", lay: func(s *scene) {
			started(year)(s)
			s.StopWorker()
		}, each: stamps(year), ends: stored + spooled},
	}
}
