package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// MaxLine is the longest message that is read, in bytes.
const MaxLine = 1 << 20

// messageFilter filters what a client sends: only whole, single, well-formed messages pass. Anything else is
// answered with an error and skipped, where the protocol's own reader would end the connection.
type messageFilter struct {
	in  io.ReadCloser
	out io.WriteCloser

	buf  *bufio.Reader
	rest []byte // of the message that is being read

	mu   sync.Mutex // one message at a time is written
	once sync.Once  // of closing

	open    sync.Mutex
	less    *sync.Cond // of open: a call is answered, or waiting has ended
	pending int        // calls that are not answered yet
	over    bool       // closed, or waited for long enough

	abandon func()      // nil does nothing
	last    *time.Timer // of open: until abandon
}

func (l *messageFilter) start() {
	l.buf, l.less = bufio.NewReaderSize(l.in, 64<<10), sync.NewCond(&l.open)
}

// lastAnswers limits the answers to pending calls after the client closed its end.
const lastAnswers = 40 * time.Second

// settle waits until every call is answered, because the protocol's reader stops at the end of its input.
func (l *messageFilter) settle() {
	late := time.AfterFunc(lastAnswers, l.giveUp)
	defer late.Stop()
	l.open.Lock()
	defer l.open.Unlock()
	for l.pending > 0 && !l.over {
		l.less.Wait()
	}
}

// lastWrite is how long a client may take to read what was written to it before
// the end.
const lastWrite = 5 * time.Second

func (l *messageFilter) giveUp() {
	l.open.Lock()
	defer l.open.Unlock()
	l.over = true
	l.less.Broadcast()
	if l.abandon != nil && l.last == nil {
		l.last = time.AfterFunc(lastWrite, l.abandon)
	}
}

// stopAbandon stops the timer of abandon after reading and writing have ended.
func (l *messageFilter) stopAbandon() {
	l.open.Lock()
	defer l.open.Unlock()
	l.abandon = nil // giving up has no effect from here on
	if l.last != nil {
		l.last.Stop()
	}
}

// countCalls adds n pending calls; -1 means that one was answered.
func (l *messageFilter) countCalls(n int) {
	l.open.Lock()
	defer l.open.Unlock()
	l.pending += n
	l.less.Broadcast()
}

// Read returns the next message with the end of its line.
func (l *messageFilter) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			l.settle()
			return 0, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		call, refusal := checkMessage(line)
		if refusal != nil {
			if err := l.answer(refusal); err != nil {
				return 0, err
			}
			continue
		}
		if call {
			l.countCalls(1)
		}
		line = append(line, '\n')
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// errLong is a line that is longer than any message may be.
var errLong = errors.New("line too long")

// next reads a line. One that is too long is skipped and answered with an error. A last line without an end is
// checked like any other.
func (l *messageFilter) next() ([]byte, error) {
	for {
		line, err := l.line()
		if !errors.Is(err, errLong) {
			return line, err
		}
		if err := l.answer(&jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidRequest,
			Message: "the message is longer than 1 MB",
		}); err != nil {
			return nil, err
		}
	}
}

func (l *messageFilter) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.buf.ReadSlice('\n')
		if long = long || len(line)+len(part) > MaxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (long || len(line) == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		case long:
			return nil, errLong
		}
		return line, nil
	}
}

// checkMessage reports whether a line is a call, which gets an answer, or why it is not a message.
func checkMessage(line []byte) (call bool, refusal *jsonrpc.Error) {
	switch {
	case !json.Valid(line):
		return false, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "not JSON"}
	case line[0] == '[':
		return false, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidRequest,
			Message: "batches are not answered: send one message a line",
		}
	case line[0] != '{':
		return false, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "not a message"}
	}
	m, err := jsonrpc.DecodeMessage(line) // as the protocol's reader will
	if err != nil {
		return false, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "not a message of JSON-RPC 2.0"}
	}
	r, ok := m.(*jsonrpc.Request)
	return ok && r.ID.IsValid(), nil
}

// answer writes an error that belongs to no call that could be read.
func (l *messageFilter) answer(e *jsonrpc.Error) error {
	b, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      *int           `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", nil, e})
	if err != nil {
		return err
	}
	_, err = l.Write(append(b, '\n'))
	return err
}

// Write writes one message.
func (l *messageFilter) Write(p []byte) (int, error) {
	l.mu.Lock()
	n, err := l.out.Write(p)
	l.mu.Unlock()
	if m, derr := jsonrpc.DecodeMessage(p); derr == nil {
		if r, ok := m.(*jsonrpc.Response); ok && r.ID.IsValid() {
			l.countCalls(-1)
		}
	}
	return n, err
}

// Close ends both directions. The protocol closes each by itself.
func (l *messageFilter) Close() (err error) {
	l.giveUp()
	l.once.Do(func() { err = errors.Join(l.in.Close(), l.out.Close()) })
	return err
}
