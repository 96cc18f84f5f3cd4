// Package jsonstream reads JSON from a stream in bounded memory, token by token, and writes strings of JSON. It knows
// neither what the values mean nor which container is open: that is for its caller. Start reading at [Reader].
package jsonstream

import (
	"errors"
	"io"
)

// ErrSyntax means that the input is not JSON.
var ErrSyntax = errors.New("invalid JSON")

// Reader reads a stream in blocks. It reads the next block only when a byte of it is needed, so it never blocks on a
// reader after the last byte wanted.
type Reader struct {
	Text []byte // the string that is being read, unescaped

	r    io.Reader // nil if buf is the whole input
	buf  []byte
	pos  int   // buf[pos:] is unread
	used int64 // bytes read before buf

	high    rune // the last escaped high surrogate
	highEnd int  // its end in Text; 0 for none
}

// NewReader returns a Reader of a stream.
func NewReader(r io.Reader) Reader { return Reader{r: r} }

// NewBytesReader returns a Reader of raw.
func NewBytesReader(raw []byte) Reader { return Reader{buf: raw} }

const (
	firstRead  = 4 << 10 // bytes; most objects are smaller
	readSize   = 64 << 10
	emptyReads = 100 // consecutive empty reads before an error
)

// fill replaces an exhausted buffer by the next block. At the end it returns io.EOF.
func (r *Reader) fill() error {
	if r.r == nil {
		return io.EOF
	}
	r.used += int64(r.pos)
	switch {
	case r.buf == nil:
		r.buf = make([]byte, 0, firstRead)
	case cap(r.buf) < readSize:
		r.buf = make([]byte, 0, readSize)
	}
	r.buf, r.pos = r.buf[:0], 0
	for range emptyReads {
		n, err := r.r.Read(r.buf[:cap(r.buf)])
		r.buf = r.buf[:n]
		if n > 0 {
			return nil // the next read returns the error again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// next reads one byte.
func (r *Reader) next() (byte, error) {
	if r.pos == len(r.buf) {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	c := r.buf[r.pos]
	r.pos++
	return c, nil
}

// peek returns the next byte without reading it.
func (r *Reader) peek() (byte, error) {
	c, err := r.next()
	if err == nil {
		r.pos--
	}
	return c, err
}

// NextToken skips white space and reads one byte.
func (r *Reader) NextToken() (byte, error) {
	for {
		c, err := r.next()
		if err != nil || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, err
		}
	}
}

// Offset returns how many bytes were read.
func (r *Reader) Offset() int64 { return r.used + int64(r.pos) }

// FirstToken is NextToken at the start of the stream, where a byte order mark may precede the JSON.
func (r *Reader) FirstToken() (byte, error) {
	c, err := r.NextToken()
	if err != nil || c != 0xEF || r.Offset() > 1 {
		return c, err
	}
	for _, want := range [...]byte{0xBB, 0xBF} {
		if c, err := r.next(); err != nil || c != want {
			return 0, errors.Join(ErrSyntax, err)
		}
	}
	return r.NextToken()
}
