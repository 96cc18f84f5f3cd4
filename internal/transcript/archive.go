package transcript

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"remanence/internal/chars"
	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// Archive keeps the utterances of sessions, in files of JSON lines: a folder for
// each project, in it a file for each session. A mark after the lines of each
// intake contains the position in the client's transcript. Lines after the last
// mark belong to an interrupted intake and are ignored. The
// methods may be called by several goroutines of one process.
type Archive struct {
	Dir    string              // made when it is needed
	Redact func(string) string // redacts a text; required
	// Private reports whether something that a person said has a part that is
	// private. What is answered to it may repeat that part and is not taken in.
	Private func(string) bool

	mu      sync.Mutex // of who reads or changes files
	changes int        // how often lines were taken out
}

// mark is how far a record was taken in, and what is known there of what follows.
type mark struct {
	Next    int64  `json:"next"`              // bytes of the record
	Last    string `json:"last"`              // hash of what comes right before it
	Prompt  string `json:"prompt,omitempty"`  // id of the turn
	Private bool   `json:"private,omitempty"` // of the turn
	Again   bool   `json:"again,omitempty"`   // the record is another than before; what is known of it is passed over
	Bad     int    `json:"bad,omitempty"`     // lines that were no record, so far
}

// line is one of a file: either of the two.
type line struct {
	mem.ArchivedUtterance
	Mark *mark `json:"mark"`
}

var markStart = []byte(`{"mark":`)

// Take takes in what a transcript says of session s since the last time. judge
// is asked for each thing said, in order, and may set its turn; where it wants
// to be asked again the rest is left for then. A record that is not there yet
// says nothing. A second Take of the same words adds none, also if the first
// one was killed.
func (a *Archive) Take(ctx context.Context, s mem.Session, record string,
	judge func(*mem.ArchivedUtterance) mem.Verdict,
) (mem.TranscriptImport, error) {
	var taken mem.TranscriptImport
	if a.Redact == nil || a.Private == nil {
		return taken, errNoRedactor
	}
	for {
		t, more, err := a.takePart(s, record, judge)
		if errors.Is(err, fs.ErrNotExist) {
			return taken, nil
		}
		if err != nil {
			return taken, err
		}
		taken.Found, taken.Utterances, taken.BadLines = true, taken.Utterances+len(t.lines), t.mark.Bad
		if !more {
			return taken, nil
		}
		if err := ctx.Err(); err != nil {
			return taken, fmt.Errorf("take in transcript: %w", err)
		}
	}
}

// takePart takes in one part. It is on disk when it returns.
func (a *Archive) takePart(s mem.Session, record string, judge func(*mem.ArchivedUtterance) mem.Verdict) (t intake,
	more bool, err error,
) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := Present(record); err != nil {
		return t, false, err
	}
	file, err := a.fileOf(s)
	if err != nil {
		return t, false, err
	}
	was, end, err := lastMark(file)
	if err != nil {
		return t, false, fmt.Errorf("read archive: %w", err)
	}
	from := was
	if !sameBefore(record, was) {
		from = mark{Bad: was.Bad, Again: true}
	}
	t = intake{mark: from, judge: judge}
	if from.Again {
		if t.known, err = idsOf(file); err != nil {
			return t, false, fmt.Errorf("read archive: %w", err)
		}
	}
	part, err := readFrom(record, from.Next, a.Redact, a.Private)
	if err != nil {
		return t, false, err
	}
	t.take(part, a.Redact)
	t.mark.Again = from.Again && (part.More || t.waits)
	if t.mark.Last, err = hashBefore(record, t.mark.Next); err != nil {
		return t, false, fmt.Errorf("take in transcript: %w", err)
	}
	if t.mark == was {
		return t, false, nil
	}
	return t, part.More && !t.waits, a.add(file, end, t.lines, t.mark)
}

// intake is what becomes of one part.
type intake struct {
	mark  mark
	known map[string]bool // ids that are there already
	judge func(*mem.ArchivedUtterance) mem.Verdict
	lines []mem.ArchivedUtterance
	waits bool
}

func (t *intake) take(p Part, redact func(string) string) {
	t.mark.Bad += p.Bad
	led := t.mark.Private // what comes first belongs to a private prompt
	for _, u := range p.Said {
		led = led && (u.Who != User || u.PromptID != "" && u.PromptID == t.mark.Prompt)
		if led && u.Who != User {
			continue
		}
		s := spoken(u, redact)
		if s.PromptID == "" && s.Who != User {
			s.PromptID = t.mark.Prompt
		}
		verdict := t.judge(&s)
		t.mark.Prompt = s.PromptID
		if verdict == mem.Defer {
			t.waits, t.mark.Next, t.mark.Private = true, u.From, led
			return
		}
		if verdict == mem.Keep && !t.known[s.ID] {
			t.lines = append(t.lines, s)
		}
	}
	t.mark.Next, t.mark.Private = p.Next, p.Private || led
	if p.PromptID != "" {
		t.mark.Prompt = chars.Clip(p.PromptID, maxID)
	}
}

// spoken is an utterance in the form that is kept.
func spoken(u Utterance, redact func(string) string) mem.ArchivedUtterance {
	s := mem.ArchivedUtterance{
		ID: chars.Clip(u.ID, maxID), PromptID: chars.Clip(u.PromptID, maxID), Who: u.Who, At: u.At,
		Branch: chars.Clip(redact(u.Branch), maxID), Text: u.Text,
	}
	if s.ID == "" {
		s.ID = "h_" + hash([]byte(u.Who+"\n"+u.At.String()+"\n"+u.Text))
	}
	return s
}

// maxID bounds what the client names things, in characters.
const maxID = 200

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}

// lookBack is how many bytes of a transcript are compared to see whether it is still the same.
const lookBack = 1 << 10

// hashBefore is the hash of what stands in the record before a place; "" at its beginning.
func hashBefore(record string, place int64) (string, error) {
	if place == 0 {
		return "", nil
	}
	f, size, err := open(record)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b := make([]byte, min(place, lookBack))
	if place > size {
		return "", io.ErrUnexpectedEOF
	}
	if _, err := f.ReadAt(b, place-int64(len(b))); err != nil {
		return "", err
	}
	return hash(b), nil
}

// sameBefore reports whether the record is the one of the mark, grown or not.
func sameBefore(record string, m mark) bool {
	now, err := hashBefore(record, m.Next)
	return err == nil && now == m.Last
}

// add writes lines and their mark behind end, where what was cut off begins.
func (a *Archive) add(file string, end int64, lines []mem.ArchivedUtterance, m mark) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, s := range lines {
		if err := enc.Encode(s); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
	}
	if err := enc.Encode(struct {
		Mark mark `json:"mark"`
	}{m}); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	f, _, err := fsx.Open(fsx.Host{}, file, fsx.Options{Flag: os.O_WRONLY | os.O_CREATE, OneName: true, NoPollable: true})
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	err = f.Truncate(end)
	if err == nil {
		_, err = f.WriteAt(b.Bytes(), end)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if end == 0 { // best effort: the content is durable
		_ = fsx.SyncDir(fsx.Host{}, filepath.Dir(file))
	}
	return nil
}

// lastMark finds the last mark of a file and where its line ends. Without one
// nothing was ever taken in.
func lastMark(file string) (m mark, end int64, err error) {
	f, size, err := open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return mark{}, 0, nil
	}
	if err != nil {
		return mark{}, 0, err
	}
	defer f.Close()
	for end := size; end > 0; {
		start, stop, err := lastLine(f, end)
		if err != nil {
			return mark{}, 0, err
		}
		b := make([]byte, min(stop-start, maxMark))
		if _, err := f.ReadAt(b, start); err != nil {
			return mark{}, 0, err
		}
		var l line
		if bytes.HasPrefix(b, markStart) && json.Unmarshal(b, &l) == nil && l.Mark != nil {
			return *l.Mark, stop, nil
		}
		end = start
	}
	return mark{}, 0, nil
}

// maxMark is longer than a mark, in bytes.
const maxMark = 4 << 10

// lastLine is the last whole line before end: where it begins, and where the
// next does. Both are 0 if there is none.
func lastLine(f io.ReaderAt, end int64) (start, stop int64, err error) {
	const chunk = 64 << 10
	buf := make([]byte, chunk)
	for at := end; at > 0; {
		from := max(0, at-chunk)
		b := buf[:at-from]
		if _, err := f.ReadAt(b, from); err != nil {
			return 0, 0, err
		}
		for i := len(b) - 1; i >= 0; i-- {
			switch {
			case b[i] != '\n':
			case stop == 0:
				stop = from + int64(i) + 1
			default:
				return from + int64(i) + 1, stop, nil
			}
		}
		at = from
	}
	return 0, stop, nil
}

// fileOf is the file of a session: the one that is there, or will be.
func (a *Archive) fileOf(s mem.Session) (string, error) {
	name := s.Created.UTC().Format(dayForm) + between + safeName(s.ID)
	file := filepath.Join(a.Dir, safeName(s.Project), name+suffix)
	if _, err := os.Lstat(file); err == nil {
		return file, nil
	}
	found, err := a.files(s.ID)
	if err != nil {
		return "", fmt.Errorf("archive: %w", err)
	}
	if len(found) > 0 { // of another day or project: the store was put back
		return found[0], nil
	}
	return file, nil
}

// A file is named by the day its session began and the session's id.
const (
	dayForm = "2006-01-02"
	between = "__"
	suffix  = ".jsonl"
)

// files lists the files of a session, or all without one.
func (a *Archive) files(session string) ([]string, error) {
	var out []string
	err := a.eachEntry(func(path string, e fs.DirEntry) error {
		name, ok := strings.CutSuffix(e.Name(), suffix)
		day, id, named := strings.Cut(name, between)
		ok = ok && named && len(day) == len(dayForm) && e.Type().IsRegular()
		if ok && (session == "" || id == safeName(session)) {
			out = append(out, path)
		}
		return nil
	})
	return out, err
}

// eachEntry calls f for each entry of the folders of projects. A folder that cannot be read is an error, since its
// content is unknown. One that does not exist, or is removed meanwhile, is empty.
func (a *Archive) eachEntry(f func(path string, e fs.DirEntry) error) error {
	dirs, err := entriesOf(a.Dir)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		dir := filepath.Join(a.Dir, d.Name())
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			continue
		}
		if err != nil {
			return err
		}
		entries, err := entriesOf(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := f(filepath.Join(dir, e.Name()), e); err != nil {
				return err
			}
		}
	}
	return nil
}

func entriesOf(dir string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// safeName is an id as a file's name: itself, or its hash if it could mean anything else.
func safeName(id string) string {
	plain := id != "" && len(id) <= 128 &&
		strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" &&
		!strings.Contains(id, between)
	if !plain {
		return "x" + strconv.Itoa(len(id)) + "-" + hash([]byte(id))
	}
	return id
}
