//go:build fire && linux

package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/test/world"
)

// A film is a story's record: every change that its processes made to files.
type film struct {
	calls   []call
	length  int // positions
	home    string
	program string // the newest that played
	newer   int    // schema of the newer program, 0 if none plays
	record  string // the file it was read from
}

// takes is how often a story is played until its record is complete.
const takes = 3

// shoot plays a story under strace. A record in which something is missing proves
// nothing, for or against the program: the story is then played again.
func shoot(t *testing.T, story, program, newer string) *film {
	t.Helper()
	needStrace(t)
	for n := 1; ; n++ {
		begun := time.Now()
		f, err := shootOnce(t, story, program, newer)
		if err == nil {
			t.Logf("%s: %d calls in %s", story, len(f.calls), time.Since(begun).Round(time.Millisecond))
			return f
		}
		if !errors.Is(err, errIncomplete) || n == takes {
			t.Fatalf("play %s, take %d: %v", story, n, err)
		}
		t.Logf("play %s, take %d: %v", story, n, err)
	}
}

func shootOnce(t *testing.T, story, program, newer string) (*film, error) {
	t.Helper()
	p := world.NewPerson(t)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	record := filepath.Join(scratch(t), "record")
	cmd := exec.Command("strace", "-f", "--seccomp-bpf", "-y", "-s", fmt.Sprint(longest), "-e", "trace="+watched, "-e",
		"signal=none", "-o", record, self)
	cmd.Dir = p.Project
	cmd.Env = p.Environ(storyVar+"="+story, programVar+"="+program, newerVar+"="+newer)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	// what it cannot write it leaves out, and goes on
	if _, said, found := strings.Cut(string(out), "strace: "+record); found {
		return nil, fmt.Errorf("%w: strace cannot write%.200s", errIncomplete, said)
	}
	f, err := readFilm(record, p.Home)
	if err != nil {
		return nil, err
	}
	f.program = program
	if newer != "" {
		f.program, f.newer = newer, 2
	}
	return f, nil
}

// readFilm reads a record and compares it with what was found on the disk.
func readFilm(record, home string) (f *film, err error) {
	f = &film{home: home, record: record}
	if f.calls, f.length, err = readTrace(record); err != nil {
		return nil, err
	}
	return f, f.settle()
}

// keep copies the record to where the test's artifacts are: go test -artifacts
// leaves them there.
func (f *film) keep(t *testing.T) {
	t.Helper()
	to := filepath.Join(t.ArtifactDir(), "record")
	b, err := os.ReadFile(f.record)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Log(err)
		return
	}
	t.Logf("the record is kept in %s", to)
}

// A rest is what lay on the disk while no process was at work: a hash of each file.
type rest struct {
	at    int // position
	files map[string]string
}

// maxOpen is how many calls of one killed process may be open: each doubles the work.
const maxOpen = 8

// settle determines whether the calls that a kill interrupted were done. The trace does not contain that, but the files
// found afterwards show it. If no combination leads to those files, the trace is incomplete.
func (f *film) settle() error {
	rests, err := f.rests()
	if err != nil {
		return err
	}
	for _, r := range rests {
		var open []*call
		for i := range f.calls {
			if c := &f.calls[i]; c.open && c.enter < r.at && f.follows(*c) {
				open = append(open, c)
			}
		}
		if len(open) > maxOpen {
			return fmt.Errorf("%w: a kill left %d calls open", errIncomplete, len(open))
		}
		if err := f.choose(open, r); err != nil {
			return err
		}
		f.calls = slices.DeleteFunc(f.calls, func(c call) bool { return c.undone })
	}
	return nil
}

// choose tries all answers, the one that everything was done first.
func (f *film) choose(open []*call, r rest) error {
	first := ""
	for answer := range 1 << len(open) {
		for i, c := range open {
			c.undone = answer>>i&1 == 1
		}
		wrong, err := f.unlike(r)
		if err != nil {
			return err
		}
		if wrong == "" {
			for _, c := range open {
				c.open = false
			}
			return nil
		}
		if first == "" {
			first = wrong
		}
	}
	return fmt.Errorf("%w: at %d of %d it makes another %s than was found, with %d calls open", errIncomplete, r.at,
		f.length, first, len(open))
}

// follows reports whether a call may change what the film is about.
func (f *film) follows(c call) bool {
	return slices.ContainsFunc(append(slices.Clone(c.paths), c.fd), func(path string) bool {
		return slices.ContainsFunc(platters(f.home), func(p *platter) bool { return p.holds(path) })
	})
}

// unlike names a file that is not as it was found, "" if all are.
func (f *film) unlike(r rest) (string, error) {
	p := newPlayer(f)
	if err := p.to(r.at); err != nil {
		return "", err
	}
	made := map[string]string{}
	for _, d := range []*platter{p.at.data, p.at.spool} {
		for name, b := range d.whole() {
			made[d.root[len(f.home):]+name] = digest(b)
		}
	}
	names := slices.Sorted(maps.Keys(made))
	for _, name := range append(names, slices.Sorted(maps.Keys(r.files))...) {
		if made[name] != r.files[name] {
			return name, nil
		}
	}
	return "", nil
}

// rests are those that a story marked.
func (f *film) rests() (out []rest, err error) {
	for _, c := range f.calls {
		text, found := strings.CutPrefix(string(c.data), "rest ")
		if !found || filepath.Base(c.fd) != marksName {
			continue
		}
		r := rest{at: c.enter}
		if err := json.Unmarshal([]byte(text), &r.files); err != nil {
			return nil, fmt.Errorf("%w: a rest: %w", errIncomplete, err)
		}
		out = append(out, r)
	}
	return out, nil
}

const (
	dataDir  = ".local/share/remanence"
	spoolDir = ".local/state/remanence/spool"
)

// platters are the disks that the films are about, as they are before a story.
func platters(home string) []*platter {
	return []*platter{newPlatter(filepath.Join(home, dataDir)), newPlatter(filepath.Join(home, spoolDir))}
}

// at is the world at one position of a film.
type at struct {
	data, spool *platter
	sent        map[string]bool
	acked       map[string]bool
	spooled     map[string]bool // and acknowledged by no other process
	erased      bool
	migrating   bool
}

// player goes through a film once.
type player struct {
	film  *film
	steps []playStep
	i     int
	at    at
}

type playStep struct {
	pos  int
	call *call
	ends bool
}

func newPlayer(f *film) *player {
	disks := platters(f.home)
	p := &player{film: f, at: at{
		data: disks[0], spool: disks[1],
		sent: map[string]bool{}, acked: map[string]bool{}, spooled: map[string]bool{},
	}}
	for i := range f.calls {
		c := &f.calls[i]
		if c.undone {
			continue
		}
		p.steps = append(p.steps, playStep{c.enter, c, false}, playStep{c.leave, c, true})
	}
	slices.SortStableFunc(p.steps, func(a, b playStep) int { return a.pos - b.pos })
	return p
}

// to plays up to a position.
func (p *player) to(pos int) error {
	for ; p.i < len(p.steps) && p.steps[p.i].pos <= pos; p.i++ {
		s := p.steps[p.i]
		if s.ends {
			p.at.data.end(*s.call)
			p.at.spool.end(*s.call)
			continue
		}
		if filepath.Base(s.call.fd) == marksName && s.call.name == "write" {
			p.mark(strings.TrimSpace(string(s.call.data)))
		}
		if err := errors.Join(p.at.data.begin(*s.call), p.at.spool.begin(*s.call)); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) mark(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "sent":
		p.at.sent[rest] = true
	case "ack":
		p.at.acked[rest] = true
	case "spooled":
		p.at.spooled[rest] = true
	case "drained":
		maps.Copy(p.at.acked, p.at.spooled) // taken in by the worker: as good as acknowledged
		clear(p.at.spooled)
	case "keep":
		p.at.erased = false
	case "erased":
		p.at.erased = true
	case "newer":
		p.at.migrating = true
	}
}
