package redact

import (
	"errors"
	"io"
)

// source reads a stream in blocks. It reads the next block only when a byte of it is needed,
// so it never blocks on a reader after the last byte wanted.
type source struct {
	r    io.Reader // nil if buf is the whole input
	buf  []byte
	pos  int   // buf[pos:] is unread
	used int64 // bytes read before buf
}

const (
	firstRead  = 4 << 10 // bytes; most objects are smaller
	readSize   = 64 << 10
	emptyReads = 100 // consecutive empty reads before an error
)

// fill replaces an exhausted buffer by the next block. At the end it returns io.EOF.
func (s *source) fill() error {
	if s.r == nil {
		return io.EOF
	}
	s.used += int64(s.pos)
	switch {
	case s.buf == nil:
		s.buf = make([]byte, 0, firstRead)
	case cap(s.buf) < readSize:
		s.buf = make([]byte, 0, readSize)
	}
	s.buf, s.pos = s.buf[:0], 0
	for range emptyReads {
		n, err := s.r.Read(s.buf[:cap(s.buf)])
		s.buf = s.buf[:n]
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
func (s *source) next() (byte, error) {
	if s.pos == len(s.buf) {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	c := s.buf[s.pos]
	s.pos++
	return c, nil
}

// peek returns the next byte without reading it.
func (s *source) peek() (byte, error) {
	c, err := s.next()
	if err == nil {
		s.pos--
	}
	return c, err
}

// nextToken skips white space and reads one byte.
func (s *source) nextToken() (byte, error) {
	for {
		c, err := s.next()
		if err != nil || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, err
		}
	}
}

func (s *source) offset() int64 { return s.used + int64(s.pos) }

// skipMark skips a byte order mark.
func (s *source) skipMark() error {
	c, err := s.peek()
	if err != nil || c != 0xEF {
		return err
	}
	for _, want := range [...]byte{0xEF, 0xBB, 0xBF} {
		if c, err := s.next(); err != nil || c != want {
			return errors.Join(errSyntax, err)
		}
	}
	return nil
}
