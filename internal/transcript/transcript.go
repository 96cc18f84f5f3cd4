// Package transcript reads the conversation from the agent's own transcript of a
// session, a file of JSON lines that grows while the session runs. It returns the
// words of the person and of the assistant; the caller's redactor sees every text
// first. It knows no store. Start reading at Tail, Past.Read and Archive.Take.
package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// Bounds of one call, in bytes.
const (
	MaxLine  = 1 << 20  // a longer line is skipped and counted
	MaxRead  = 64 << 20 // read by one call; Part.More reports whether there is more
	MaxWords = 1 << 20  // of what was said, likewise
	MaxTail  = 16 << 20 // looked at by Tail, from the end
)

// The two who speak.
const (
	User      = "user"
	Assistant = "assistant"
)

var errNoRedactor = errors.New("read transcript: no redactor given")

// Utterance is one thing said in the main conversation.
type Utterance struct {
	mem.Quote
	ID       string    // the client's, of the record it begins with; empty if that has none
	At       time.Time // zero if the record does not say
	PromptID string    // of the turn; empty if the client numbers none, and for answers whose turn began before the Part
	Message  string    // the assistant's message id. The same id in the next Part is the same message going on
	Branch   string    // checked out when it was said
	From     int64     // where its record begins, in bytes
}

// Part is what a stretch of the record says.
type Part struct {
	Said     []Utterance // in order
	PromptID string      // of the turn at Next; empty if no record says
	Private  bool        // the turn of the last prompt is private: what follows at Next belongs to it
	Next     int64       // the new watermark, in bytes: the end of the last whole line
	Bad      int         // lines that were no record, or too long
	More     bool        // MaxRead or MaxWords was reached; read on from Next
}

// wholly looks at no part of a prompt: its turn is private if nothing of it is left.
func wholly(string) bool { return false }

// readFrom reads path from the watermark from, in bytes, 0 at first. A last line
// without its end is left for the next time. Errors wrap fs.ErrNotExist while
// the client has not written yet.
func readFrom(path string, from int64, redact func(string) string, private func(string) bool) (Part, error) {
	if redact == nil {
		return Part{}, errNoRedactor
	}
	f, size, err := open(path)
	if err != nil {
		return Part{}, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	if from < 0 || from > size {
		from = 0
	}
	return read(f, from, redact, private)
}

// Tail reads the newest lines of path, whatever they hold. Answers whose prompt
// lies before them are left out if a later turn begins in them: the prompt may
// have been private.
func Tail(path string, lines int, redact func(string) string) (Part, error) {
	if redact == nil {
		return Part{}, errNoRedactor
	}
	f, size, err := open(path)
	if err != nil {
		return Part{}, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	for ; ; lines /= 2 {
		from, err := tailStart(f, size, lines)
		if err != nil {
			return Part{}, fmt.Errorf("read transcript: %w", err)
		}
		part, err := read(f, from, redact, wholly)
		if part.More && lines > 1 { // the newest are beyond what is read at once
			continue
		}
		if from > 0 {
			part.Said = fromFirstPrompt(part.Said)
		}
		return part, err
	}
}

// fromFirstPrompt leaves out what comes before the first prompt, if there is one.
func fromFirstPrompt(said []Utterance) []Utterance {
	for i, u := range said {
		if u.Who == User {
			return said[i:]
		}
	}
	return said
}

// source is an opened transcript.
type source interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// open opens a regular file, or a session in the database of OpenCode; what a link or a pipe leads to is not the
// client's record. It never waits, also not for a pipe that is put there meanwhile.
func open(path string) (source, int64, error) {
	if file, session, ok := openCodeSession(path); ok {
		return openOpenCode(file, session)
	}
	f, info, err := fsx.Open(fsx.Host{}, path, fsx.Options{OneName: true, NoPollable: true})
	if errors.Is(err, fsx.ErrUnsafe) {
		err = fmt.Errorf("open %s: %w", path, err)
	}
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Present returns an error that wraps fs.ErrNotExist if the client has deleted the file of a transcript.
func Present(path string) error {
	if file, _, ok := openCodeSession(path); ok {
		path = file
	}
	_, err := os.Lstat(path)
	return err
}

func read(f source, from int64, redact func(string) string, private func(string) bool) (Part, error) {
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return Part{}, fmt.Errorf("read transcript: %w", err)
	}
	p := parser{part: Part{Next: from}}
	lines := lineReader{r: bufio.NewReaderSize(f, 64<<10)}
	for !p.part.More {
		line, n, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Part{}, fmt.Errorf("read transcript: %w", err)
		}
		p.at = p.part.Next
		p.part.Next += n
		p.line(line)
		p.part.More = p.part.Next-from >= MaxRead || p.words >= MaxWords
	}
	return p.finish(redact, private), nil
}

// lineReader reads whole lines of bounded length.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
}

// next returns the next line and its length in the file. A line beyond MaxLine
// comes as nil, one beyond MaxRead in pieces of that. io.EOF also if only a part
// of a line is left.
func (l *lineReader) next() (line []byte, n int64, err error) {
	l.buf = l.buf[:0]
	for {
		piece, err := l.r.ReadSlice('\n')
		n += int64(len(piece))
		if n <= MaxLine {
			l.buf = append(l.buf, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			if n >= MaxRead {
				return nil, n, nil
			}
			continue
		}
		if err != nil {
			return nil, n, err
		}
		if n > MaxLine {
			return nil, n, nil
		}
		return l.buf, n, nil
	}
}

// tailStart finds where the last whole lines begin, within MaxTail of the end.
func tailStart(f io.ReaderAt, size int64, lines int) (int64, error) {
	const chunk = 64 << 10
	buf := make([]byte, chunk)
	end, seen, first := size, 0, size
	for stop := max(0, size-MaxTail); end > stop; {
		start := max(stop, end-chunk)
		b := buf[:end-start]
		if _, err := f.ReadAt(b, start); err != nil && err != io.EOF {
			return 0, err
		}
		for i := len(b) - 1; i >= 0; i-- {
			if b[i] != '\n' {
				continue
			}
			if seen++; seen > lines {
				return start + int64(i) + 1, nil
			}
			first = start + int64(i) + 1
		}
		end = start
	}
	if end == 0 {
		return 0, nil
	}
	return first, nil
}
