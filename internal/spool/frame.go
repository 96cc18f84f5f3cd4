package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"io"
	"time"
)

// A record is a frame around one event as JSON, little-endian:
//
//	0  magic    4 bytes; the first can not occur in JSON
//	4  state    1 byte, waiting or done; the only byte that ever changes
//	5  version  1 byte
//	6  length   4 bytes, of the JSON
//	10 time     8 bytes, nanoseconds of Unix time
//	18 session  8 bytes, hash of the session id
//	26 check    4 bytes, CRC-32C of bytes 5 to 25 and the JSON
//	30 JSON
const (
	magic     = "\x1eRMS"
	stateAt   = len(magic)
	headLen   = 30
	checkAt   = 26
	version   = 1
	waiting   = '.'
	done      = 'x'
	maxRecord = 8 << 20 // bytes of JSON; an event is bounded far below
	scanChunk = 16 << 10
)

var (
	errTorn  = errors.New("record is damaged")
	errNewer = errors.New("record of a newer version")
)

// head is what a frame says about its event.
type head struct {
	state   byte
	at      int64 // nanoseconds of Unix time
	session uint64
	length  uint32
}

// size is the length of the whole frame in bytes.
func (h head) size() int64 { return headLen + int64(h.length) }

// frame wraps the JSON of an event.
func frame(json []byte, at time.Time, session string) []byte {
	b := make([]byte, headLen, headLen+len(json))
	copy(b, magic)
	b[stateAt] = waiting
	b[5] = version
	binary.LittleEndian.PutUint32(b[6:], uint32(len(json)))
	binary.LittleEndian.PutUint64(b[10:], uint64(at.UnixNano()))
	binary.LittleEndian.PutUint64(b[18:], sessionHash(session))
	binary.LittleEndian.PutUint32(b[checkAt:], check(b, json))
	return append(b, json...)
}

func check(head, json []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(head[stateAt+1:checkAt], table), table, json)
}

func sessionHash(session string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, session)
	return h.Sum64()
}

// readFrame reads the frame at off. The JSON is in buf, which grows as needed.
// io.EOF means that the file ends at off, errTorn that no whole record is
// there, errNewer that one is which this version can not read.
func readFrame(r io.ReaderAt, off int64, buf []byte) (h head, json []byte, err error) {
	var b [headLen]byte
	n, err := r.ReadAt(b[:], off)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return head{}, buf, err
	case n == 0:
		return head{}, buf, io.EOF
	case n < headLen || string(b[:len(magic)]) != magic:
		return head{}, buf, errTorn
	}
	h = head{
		state:   b[stateAt],
		at:      int64(binary.LittleEndian.Uint64(b[10:])),
		session: binary.LittleEndian.Uint64(b[18:]),
		length:  binary.LittleEndian.Uint32(b[6:]),
	}
	if h.length > maxRecord || !reaches(r, off+h.size()) {
		return head{}, buf, errTorn
	}
	if cap(buf) < int(h.length) {
		buf = make([]byte, h.length)
	}
	json = buf[:h.length]
	n, err = r.ReadAt(json, off+headLen)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return head{}, buf, err
	case n < len(json) || check(b[:], json) != binary.LittleEndian.Uint32(b[checkAt:]):
		return head{}, buf, errTorn
	case b[5] != version:
		return h, json, errNewer
	}
	return h, json, nil
}

// reaches reports whether r has a byte before end. A damaged length is found
// out by it without reading all that the length promises.
func reaches(r io.ReaderAt, end int64) bool {
	var b [1]byte
	n, err := r.ReadAt(b[:], end-1)
	return n == 1 || err != nil && !errors.Is(err, io.EOF)
}

// walk calls visit for every whole record of r, in order. After a damaged one
// it goes on at the next place where a record can begin. torn counts the gaps.
func walk(r io.ReaderAt, visit func(off int64, h head, newer bool)) (torn int, err error) {
	var buf, chunk []byte
	var off int64
	for {
		h, json, err := readFrame(r, off, buf)
		buf = json
		switch {
		case errors.Is(err, io.EOF):
			return torn, nil
		case errors.Is(err, errTorn):
			torn++
			if chunk == nil {
				chunk = make([]byte, scanChunk)
			}
			next, ok, err := findMagic(r, off+1, chunk)
			if !ok {
				return torn, err
			}
			off = next
		case err == nil || errors.Is(err, errNewer):
			visit(off, h, err != nil)
			off += h.size()
		default:
			return torn, err
		}
	}
}

// findMagic returns the first place at or after off where a frame may begin. It
// reads into chunk.
func findMagic(r io.ReaderAt, off int64, chunk []byte) (at int64, ok bool, err error) {
	for {
		n, err := r.ReadAt(chunk, off)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, false, err
		}
		if i := bytes.Index(chunk[:n], []byte(magic)); i >= 0 {
			return off + int64(i), true, nil
		}
		if err != nil {
			return 0, false, nil
		}
		off += int64(n - len(magic) + 1)
	}
}
