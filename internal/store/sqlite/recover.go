package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"time"

	"remanence/internal/mem"
)

// Where the header of a database says what.
const (
	magic          = "SQLite format 3\x00"
	sizeOfPageAt   = 16 // two bytes; 1 means 65,536
	changesAt      = 24
	pagesAt        = 28 // only if changesAt and changesWhenAt agree
	applicationAt  = 68
	changesWhenAt  = 92
	largestPageHas = 1 << 16
)

// Recover does what Salvage does without a person's order. It is for a database
// that cannot be opened and has no backup, and only where there is nothing to
// decide: nothing of it can be read, or it was cut short, so that the rest of it
// is lost in any case. The caller holds the worker's lock.
//
// Everything else stays as it is, for a person to decide: mem.ErrForeign if it is
// not known to be ours, mem.ErrCorrupt if it is damaged in another way,
// mem.ErrNewer if a newer version wrote it.
func Recover(ctx context.Context, path string, now time.Time) (Salvaged, error) {
	h, err := headerOf(path)
	if err == nil && !h.ours() {
		err = mem.ErrForeign
	}
	if err != nil {
		return Salvaged{}, fmt.Errorf("recover %s: %w", path, translate(err))
	}
	return salvageWhere(ctx, path, now, func(readable bool) error {
		if readable && !h.cutShort() {
			return errDecide
		}
		return nil
	})
}

// errDecide means that a person has to decide what becomes of a damaged database.
var errDecide = fmt.Errorf("%w: part of it can still be read", mem.ErrCorrupt)

// header is the beginning of a database file, and the size of all of it.
type header struct {
	text []byte
	size int64
}

// headerOf reads the beginning of a file. mem.ErrForeign if it is none.
func headerOf(path string) (header, error) {
	if isOther(path) {
		return header{}, fmt.Errorf("%w: it is not a file", mem.ErrForeign)
	}
	f, err := os.Open(path)
	if err != nil {
		return header{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return header{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, fileHeader))
	return header{text, info.Size()}, err
}

// ours reports whether nobody else can have written the file: it is empty or
// begins with zeros, as what a file system lost does, or has our mark.
func (h header) ours() bool {
	if len(bytes.Trim(h.text, "\x00")) == 0 {
		return true
	}
	if !bytes.HasPrefix(h.text, []byte(magic)) {
		return false
	}
	return len(h.text) < fileHeader || h.number(applicationAt) == applicationID
}

// cutShort reports whether the file lacks pages that its header counts.
func (h header) cutShort() bool {
	if len(h.text) < fileHeader || !bytes.HasPrefix(h.text, []byte(magic)) {
		return false
	}
	size := int64(binary.BigEndian.Uint16(h.text[sizeOfPageAt:]))
	if size == 1 {
		size = largestPageHas
	}
	return h.number(changesAt) == h.number(changesWhenAt) && h.number(pagesAt)*size > h.size
}

func (h header) number(at int) int64 { return int64(binary.BigEndian.Uint32(h.text[at:])) }
