package redact

import (
	"errors"
	"io"
)

// source hands out the bytes of a stream one stretch at a time, and asks the reader for more only when all it has is
// used: a reader that would block after the last byte wanted is never asked.
type source struct {
	r    io.Reader // nil: buf is all there is
	buf  []byte
	pos  int   // buf[pos:] is not used yet
	used int64 // bytes used before buf
}

const (
	firstRead  = 4 << 10 // bytes: most objects are smaller
	readSize   = 64 << 10
	emptyReads = 100 // in a row, before a reader is given up
)

// fill replaces a used-up buffer by the next bytes. It returns io.EOF at the end.
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
			return nil // an error comes again with the next read
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// next uses one byte.
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

// peek returns the byte that next would use.
func (s *source) peek() (byte, error) {
	c, err := s.next()
	if err == nil {
		s.pos--
	}
	return c, err
}

// nextToken uses the white space and then one byte.
func (s *source) nextToken() (byte, error) {
	for {
		c, err := s.next()
		if err != nil || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, err
		}
	}
}

func (s *source) offset() int64 { return s.used + int64(s.pos) }

// skipMark uses a byte order mark, if one comes first.
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
