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

// lines stands between a client and the protocol: only whole, single, well-formed
// messages pass. Anything else is answered with an error and passed over, where
// the protocol's own reader would end the connection.
type lines struct {
	in  io.ReadCloser
	out io.WriteCloser

	buf  *bufio.Reader
	rest []byte // of the message that is being handed on

	mu   sync.Mutex // one message at a time is written
	once sync.Once  // of closing

	open sync.Mutex
	less *sync.Cond // of open: a call is answered, or nobody waits any more
	owed int        // calls handed on and not answered
	over bool       // closed, or waited for long enough

	abandon func()      // nil means that nobody is told
	last    *time.Timer // of open: until abandon
}

func (l *lines) start() {
	l.buf, l.less = bufio.NewReaderSize(l.in, 64<<10), sync.NewCond(&l.open)
}

// lastAnswers is how long the answers may take to calls that came before the
// client's end was closed.
const lastAnswers = 40 * time.Second

// settle waits until every call is answered: the protocol's reader takes the end
// of its input for the end of all.
func (l *lines) settle() {
	late := time.AfterFunc(lastAnswers, l.giveUp)
	defer late.Stop()
	l.open.Lock()
	defer l.open.Unlock()
	for l.owed > 0 && !l.over {
		l.less.Wait()
	}
}

// lastWrite is how long a client may take to read what was written to it before
// the end.
const lastWrite = 5 * time.Second

func (l *lines) giveUp() {
	l.open.Lock()
	defer l.open.Unlock()
	l.over = true
	l.less.Broadcast()
	if l.abandon != nil && l.last == nil {
		l.last = time.AfterFunc(lastWrite, l.abandon)
	}
}

// ended is said once nobody reads or writes any more.
func (l *lines) ended() {
	l.open.Lock()
	defer l.open.Unlock()
	l.abandon = nil // whoever gives up from here on is late
	if l.last != nil {
		l.last.Stop()
	}
}

// owe counts calls that came, or with -1 one that is answered.
func (l *lines) owe(n int) {
	l.open.Lock()
	defer l.open.Unlock()
	l.owed += n
	l.less.Broadcast()
}

// Read hands on the next message, with the end of its line.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			l.settle()
			return 0, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		call, refusal := judge(line)
		if refusal != nil {
			if err := l.answer(refusal); err != nil {
				return 0, err
			}
			continue
		}
		if call {
			l.owe(1)
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

// next reads a line. One that is too long is read to its end and answered; a last
// one without an end is half a message, and counts as a whole one if it is.
func (l *lines) next() ([]byte, error) {
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

func (l *lines) line() ([]byte, error) {
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

// judge says whether a line is a call, which is to be answered, or why it is no
// message at all.
func judge(line []byte) (call bool, refusal *jsonrpc.Error) {
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
func (l *lines) answer(e *jsonrpc.Error) error {
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
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	n, err := l.out.Write(p)
	l.mu.Unlock()
	if m, derr := jsonrpc.DecodeMessage(p); derr == nil {
		if r, ok := m.(*jsonrpc.Response); ok && r.ID.IsValid() {
			l.owe(-1)
		}
	}
	return n, err
}

// Close ends both directions. The protocol closes each by itself.
func (l *lines) Close() (err error) {
	l.giveUp()
	l.once.Do(func() { err = errors.Join(l.in.Close(), l.out.Close()) })
	return err
}
