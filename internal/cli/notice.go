package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// notice is a warning and what it is about. Where level is not 0 the warning is
// news only if the level is another than when it was last shown.
type notice struct {
	cause string
	level int64
	text  string
}

// shown says when a warning was last shown, and at which level.
type shown struct {
	Day   string `json:"day"`
	Level int64  `json:"level"`
}

func texts(list []notice) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.text)
	}
	return out
}

// dueOf returns the causes that were not shown on the day of now.
func dueOf(file string, now time.Time, causes []notice) []notice {
	if len(causes) == 0 {
		return nil
	}
	record, day := readShown(file), dayOf(now)
	var due []notice
	for _, c := range causes {
		last, known := record[c.cause]
		if known && (last.Day == day || c.level > 0 && c.level == last.Level) {
			continue
		}
		due = append(due, c)
	}
	return due
}

// shownNow remembers that warnings were shown.
func shownNow(file string, now time.Time, due []notice) {
	if len(due) == 0 {
		return
	}
	record, day := readShown(file), dayOf(now)
	for _, c := range due {
		record[c.cause] = shown{day, c.level}
	}
	for cause, s := range record {
		if s.Day != day && s.Level == 0 {
			delete(record, cause)
		}
	}
	if b, err := json.Marshal(record); err == nil {
		_ = overwrite(file, b)
	}
}

func dayOf(t time.Time) string { return t.Format("2006-01-02") }

func readShown(file string) map[string]shown {
	record := map[string]shown{}
	if b, err := readSmall(file); err == nil && json.Unmarshal(b, &record) != nil {
		return map[string]shown{} // a damaged record shows a warning twice
	}
	return record
}

// prepareNotices makes the record, so that it can be kept when the disk is full.
func prepareNotices(file string) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		_ = overwrite(file, []byte("{}"))
	}
}

// overwrite writes a small file in its place: a full disk has no room for
// another one, or for this one once it has let go of its own.
func overwrite(file string, b []byte) error {
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", file, errors.ErrUnsupported)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(b, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(b)))
}

// trouble is what keeps the worker from working. Hooks tell it to the person.
type trouble struct {
	Since time.Time `json:"since"`
	Code  string    `json:"code"`
	Why   string    `json:"why"`
	Text  string    `json:"text"`
}

// fault is what to tell somebody who needs the worker: the trouble itself where
// its code is one of ours.
func (t trouble) fault() Fault {
	for _, f := range Faults() {
		if f.Code == t.Code && f.Exit != 0 && !f.Is(faultOther) {
			return f.because("%s", t.Why)
		}
	}
	return faultDaemon.because("%s", t.Text).fixedBy("remanence doctor", "remanence daemon run")
}

func (p Paths) trouble() string { return filepath.Join(filepath.Dir(p.Runtime()), "trouble.json") }

func writeTrouble(paths Paths, now time.Time, err error) {
	f := explain(nil, err)
	t := trouble{Since: now, Code: f.Code, Why: f.Why}
	var old trouble
	if b, err := readSmall(paths.trouble()); err == nil && json.Unmarshal(b, &old) == nil && old.Code == f.Code {
		t.Since = old.Since // the same since then
	}
	t.Text = fmt.Sprintf("remanence: nothing is remembered since %s: %s. Fix: remanence doctor", t.Since.Local().Format("2 Jan 15:04"), f.What)
	b, merr := json.Marshal(t)
	if merr != nil || os.MkdirAll(filepath.Dir(paths.trouble()), 0o700) != nil {
		return
	}
	_ = os.WriteFile(paths.trouble(), b, 0o600)
}

func clearTrouble(paths Paths) {
	if err := os.Remove(paths.trouble()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
}

// readTrouble returns what keeps the worker from working, the zero value if nothing does.
func readTrouble(paths Paths) trouble {
	var t trouble
	b, err := os.ReadFile(paths.trouble())
	if err != nil || json.Unmarshal(b, &t) != nil {
		return trouble{}
	}
	return t
}
