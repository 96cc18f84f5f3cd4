package transcript

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"remanence/internal/mem"
)

// group is how many things said are given out at once.
const group = 50

// Utterances gives out what is kept of a session, oldest first, a few at a time: what
// was said after the one of an id, or all if it is not there. While give runs
// nothing is taken out: what it is given is still kept.
func (a *Archive) Utterances(ctx context.Context, s mem.Session, after string,
	give func([]mem.ArchivedUtterance) error,
) error {
	r := cursor{after: after, seen: -1}
	for {
		some, err := a.giveNext(s, &r, give)
		if err != nil || !some {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read archive: %w", err)
		}
	}
}

// Each gives out what is kept of all sessions and changes nothing.
func (a *Archive) Each(ctx context.Context, give func(mem.ArchivedUtterance)) error {
	files, err := a.files("")
	if err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read archive: %w", err)
		}
		if err := a.eachOf(file, give); err != nil {
			return fmt.Errorf("read %s: %w", filepath.Base(file), err)
		}
	}
	return nil
}

func (a *Archive) eachOf(file string, give func(mem.ArchivedUtterance)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return eachLine(file, 0, func(b []byte, _ int64) bool {
		if l, ok := parsed(b); ok && l.Mark == nil {
			give(l.ArchivedUtterance)
		}
		return true
	})
}

// cursor is what of a file is still to be given out.
type cursor struct {
	after string // id of the last one given
	from  int64  // where the next begins
	seen  int    // changes of the archive when from was found
}

func (a *Archive) giveNext(s mem.Session, r *cursor, give func([]mem.ArchivedUtterance) error) (some bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	file, err := a.fileOf(s)
	if err != nil {
		return false, err
	}
	if r.seen != a.changes {
		if r.from, err = placeAfter(file, r.after); err != nil {
			return false, fmt.Errorf("read archive: %w", err)
		}
		r.seen = a.changes
	}
	var list []mem.ArchivedUtterance
	next := r.from
	err = eachLine(file, r.from, func(b []byte, end int64) bool {
		next = end
		if l, ok := parsed(b); ok && l.Mark == nil {
			list = append(list, l.ArchivedUtterance)
		}
		return len(list) < group
	})
	if err != nil {
		return false, fmt.Errorf("read archive: %w", err)
	}
	if len(list) == 0 {
		return false, nil
	}
	r.from, r.after = next, list[len(list)-1].ID
	return true, give(list)
}

// placeAfter is where the line behind that of an id begins; 0 if it is not there.
func placeAfter(file, id string) (place int64, err error) {
	if id == "" {
		return 0, nil
	}
	err = eachLine(file, 0, func(b []byte, end int64) bool {
		if l, ok := parsed(b); ok && l.Mark == nil && l.ID == id {
			place = end
		}
		return true
	})
	return place, err
}

// idsOf are the ids of all that a file holds.
func idsOf(file string) (map[string]bool, error) {
	ids := map[string]bool{}
	err := eachLine(file, 0, func(b []byte, _ int64) bool {
		if l, ok := parsed(b); ok && l.Mark == nil {
			ids[l.ID] = true
		}
		return true
	})
	return ids, err
}

func parsed(b []byte) (l line, ok bool) { return l, json.Unmarshal(b, &l) == nil }

// eachLine hands on the lines up to the last mark, and where the next begins,
// until f has enough. A file that is not there has none.
func eachLine(file string, from int64, f func(b []byte, end int64) bool) error {
	_, last, err := lastMark(file)
	if err != nil || last == 0 {
		return err
	}
	r, _, err := open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := r.Seek(from, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(io.LimitReader(r, last-from), 64<<10)
	for at := from; at < last; {
		b, err := in.ReadBytes('\n')
		if err != nil {
			return err
		}
		at += int64(len(b))
		if !f(b, at) {
			return nil
		}
	}
	return nil
}
