package hookclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"remanence/internal/config"
	"remanence/internal/fault"
)

// Notice is a warning with its cause. If Level is not 0, the warning is due again only when the level changed
// since it was last shown.
type Notice struct {
	Cause string
	Level int64
	Text  string
}

// shown is when a warning was last shown, and at which level.
type shown struct {
	Day   string `json:"day"`
	Level int64  `json:"level"`
}

// Texts returns the texts of notices.
func Texts(list []Notice) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.Text)
	}
	return out
}

// DueNotices returns the causes that were not shown on the day of now.
func DueNotices(file string, now time.Time, causes []Notice) []Notice {
	if len(causes) == 0 {
		return nil
	}
	record, day := readShown(file), dayOf(now)
	var due []Notice
	for _, c := range causes {
		last, known := record[c.Cause]
		if known && (last.Day == day || c.Level > 0 && c.Level == last.Level) {
			continue
		}
		due = append(due, c)
	}
	return due
}

// MarkShown records that warnings were shown.
func MarkShown(file string, now time.Time, due []Notice) {
	if len(due) == 0 {
		return
	}
	record, day := readShown(file), dayOf(now)
	for _, c := range due {
		record[c.Cause] = shown{day, c.Level}
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

func dayOf(t time.Time) string { return t.Local().Format("2006-01-02") }

func readShown(file string) map[string]shown {
	record := map[string]shown{}
	if b, err := config.ReadSmall(file); err == nil && json.Unmarshal(b, &record) != nil {
		return map[string]shown{} // a damaged record shows a warning twice
	}
	return record
}

// PrepareNotices creates the record, so that it can be written when the disk is full.
func PrepareNotices(file string) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		_ = overwrite(file, []byte("{}"))
	}
}

// overwrite writes a small file in place. A full disk may have no room for a second file, nor for this one
// after it was truncated.
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

// Trouble is what keeps the daemon from working. Hooks show it to the person.
type Trouble struct {
	Since time.Time `json:"since"`
	Code  string    `json:"code"`
	Why   string    `json:"why"`
	Text  string    `json:"text"`
}

// Fault returns the fault for a command that needs the daemon: that of the trouble's code, if it is known.
func (t Trouble) Fault() fault.Fault {
	for _, f := range fault.All() {
		if f.Code == t.Code && f.Exit != 0 && !f.Is(fault.Other) {
			return f.Because("%s", t.Why)
		}
	}
	return fault.Daemon.Because("%s", t.Text).FixedBy("remanence doctor", "remanence daemon run")
}

// ReadTrouble returns what keeps the daemon from working; the zero value means nothing.
func ReadTrouble(paths config.Paths) Trouble {
	var t Trouble
	b, err := os.ReadFile(paths.TroubleFile())
	if err != nil || json.Unmarshal(b, &t) != nil {
		return Trouble{}
	}
	return t
}
