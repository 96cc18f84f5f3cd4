//go:build unix

package hookclient

import (
	"os"
	"testing"
	"time"

	"remanence/internal/config"
)

func TestAHookThatEndsWhileItStartsAWorkerKeepsNoOtherFromIt(t *testing.T) {
	first := newStation(t).reach
	second := &client{sys: first.sys, paths: first.paths}
	ended, ok := first.lockStart()
	if !ok {
		t.Fatal("no other hook starts the daemon and yet it has to stand back")
	}
	if err := second.start(); err != nil || config.Exists(second.startStamp()) {
		t.Errorf("a second start beside the first: %v, stamp %v; want it to stand back", err,
			config.Exists(second.startStamp()))
	}
	ended() // as its end does, at whatever point
	done, ok := second.lockStart()
	if !ok || fresh(second.startStamp(), startOnce, time.Now()) {
		t.Errorf("the next hook may start %v, held off by a stamp %v; want it free to", ok,
			fresh(second.startStamp(), startOnce, time.Now()))
	}
	if ok {
		done()
	}
}

func TestOneStartASecondIsEnoughUnlessItsWorkerHasComeAndGone(t *testing.T) {
	r := newStation(t).reach
	touch(r.startStamp())
	was, err := os.Stat(r.startStamp())
	if err != nil {
		t.Fatal(err)
	}
	r.sys.Now = was.ModTime // however long this takes
	if err := r.start(); err != nil {
		t.Fatal(err)
	} else if now, err := os.Stat(r.startStamp()); err != nil || !now.ModTime().Equal(was.ModTime()) {
		t.Errorf("started again within a second: %v", err)
	}
	if r.rt.Started = time.Now().Add(time.Second); !r.hasRun() {
		t.Error("a worker that started after the stamp counts as still to come")
	}
}
