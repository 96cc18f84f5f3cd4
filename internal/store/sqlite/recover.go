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

// Offsets in the header of a database: https://www.sqlite.org/fileformat2.html
const (
	pageSizeAt      = 16 // two bytes; 1 means 65,536
	changesAt       = 24
	pagesAt         = 28 // valid only if changesAt and validForAt agree
	applicationAt   = 68
	validForAt      = 92
	largestPageSize = 1 << 16
)

// Recover does what Salvage does, without an order of the person. It is for a
// database that cannot be opened and has no backup, and only if there is nothing to
// decide: nothing of it can be read, or it was truncated, so that the rest is lost
// in any case. The caller holds the worker's lock.
//
// In all other cases it changes nothing and leaves the decision to the person:
// mem.ErrForeign if the file may not be ours, mem.ErrCorrupt if it is damaged in
// another way, mem.ErrNewer if a newer version wrote it.
func Recover(ctx context.Context, path string, now time.Time) (Salvaged, error) {
	h, err := headerOf(path)
	if err == nil && !h.ours() {
		err = mem.ErrForeign
	}
	if err != nil {
		return Salvaged{}, wrap("recover "+path, err)
	}
	return salvageIf(ctx, path, now, func(readable bool) error {
		if readable && !h.truncated() {
			return errNeedsDecision
		}
		return nil
	})
}

// errNeedsDecision means that a person must decide about a damaged database.
var errNeedsDecision = fmt.Errorf("%w: part of it can still be read", mem.ErrCorrupt)

// header is the beginning of a database file, and the size of the file.
type header struct {
	text []byte
	size int64
}

// headerOf reads the beginning of a file. mem.ErrForeign if it is not a regular file.
func headerOf(path string) (header, error) {
	f, info, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return header{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, fileHeader))
	return header{text, info.Size()}, err
}

// zeros reports whether the header is nothing but zeros, as after a power cut that
// lost the first page.
func (h header) zeros() bool { return len(bytes.Trim(h.text, "\x00")) == 0 }

// ours reports whether no other program can have written the file: it is empty,
// begins with zeros, or has our application id.
func (h header) ours() bool {
	if h.zeros() {
		return true
	}
	if !bytes.HasPrefix(h.text, []byte(Magic)) {
		return false
	}
	return len(h.text) < fileHeader || h.number(applicationAt) == applicationID
}

// truncated reports whether the file lacks pages that its header counts.
func (h header) truncated() bool {
	if len(h.text) < fileHeader || !bytes.HasPrefix(h.text, []byte(Magic)) {
		return false
	}
	size := int64(binary.BigEndian.Uint16(h.text[pageSizeAt:]))
	if size == 1 {
		size = largestPageSize
	}
	return h.number(changesAt) == h.number(validForAt) && h.number(pagesAt)*size > h.size
}

func (h header) number(at int) int64 { return int64(binary.BigEndian.Uint32(h.text[at:])) }
