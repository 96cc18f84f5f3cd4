package hook

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"
)

// payloadWait is how long TakePayload waits for the first byte, and again for the rest. A
// client writes both right after it starts the hook.
const payloadWait = time.Second

// TakePayload reports whether in contains a hook payload: text that begins with a JSON object,
// complete or not. It reads the object, so that the client can write all of it. If nothing
// arrives for a second there is no payload. The position of a file is restored.
func TakePayload(ctx context.Context, in io.Reader) bool {
	if f, ok := in.(io.Seeker); ok {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			defer func() { _, _ = f.Seek(at, io.SeekStart) }()
		}
	}
	begun, ended := make(chan bool, 1), make(chan bool, 1)
	go func() { // may stay blocked in a read; it ends with the process
		r := bufio.NewReader(in)
		object := beginsObject(r)
		begun <- object
		if object {
			_ = json.NewDecoder(r).Decode(&struct{}{}) // malformed JSON does not matter
		}
		ended <- true
	}()
	if !receiveSoon(ctx, begun) {
		return false
	}
	receiveSoon(ctx, ended)
	return true
}

// receiveSoon returns the value received from c within payloadWait, else false.
func receiveSoon(ctx context.Context, c <-chan bool) bool {
	ctx, stop := context.WithTimeout(ctx, payloadWait)
	defer stop()
	select {
	case v := <-c:
		return v
	case <-ctx.Done():
		return false
	}
}

// beginsObject reports whether r begins with a JSON object. A byte order mark and blanks may
// precede it, within r's buffer size.
func beginsObject(r *bufio.Reader) bool {
	for range r.Size() {
		c, _, err := r.ReadRune()
		switch {
		case err != nil:
			return false
		case c == '{':
			return r.UnreadRune() == nil
		case c != '\uFEFF' && c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return false
		}
	}
	return false
}
