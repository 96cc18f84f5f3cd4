//go:build unix

package setup

import (
	"os"
	"syscall"
	"testing"
)

func TestOwnerIsKept(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(), "{}", 0o600)
	if os.Getuid() == 0 { // anybody else can only own what is his
		must(t, os.Chown(m.user(), 65534, 65533))
	}
	before := owner(t, m.user())
	m.install(Options{})
	if after := owner(t, m.user()); after != before {
		t.Errorf("got owner and group %v, want %v", after, before)
	}
}

func owner(t *testing.T, path string) [2]uint32 {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	st := info.Sys().(*syscall.Stat_t)
	return [2]uint32{st.Uid, st.Gid}
}

func TestAPipeIsNotRead(t *testing.T) {
	m := newMachine(t)
	m.mkdir(m.Home + "/.claude")
	must(t, syscall.Mkfifo(m.user(), 0o600))
	if _, err := PlanInstall(m.Config, Options{}); err == nil {
		t.Error("got no error, want one that names the pipe")
	}
}
