package hook

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"
)

// payloadWait is how long TakePayload waits for the first byte, and then for
// the rest. A client writes both as soon as it has started the hook.
const payloadWait = time.Second

// TakePayload reports whether in holds the payload of a hook: text that begins
// with a JSON object, of whatever keys, complete or not. It reads the object, so
// that the client can write all of it. Input that says nothing for a second holds
// no payload. A file is left at the place where it was.
func TakePayload(ctx context.Context, in io.Reader) bool {
	if f, ok := in.(io.Seeker); ok {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			defer func() { _, _ = f.Seek(at, io.SeekStart) }()
		}
	}
	begun, ended := make(chan bool, 1), make(chan bool, 1)
	go func() { // it may be left behind in a read, and ends with the process
		r := bufio.NewReader(in)
		object := beginsObject(r)
		begun <- object
		if object {
			_ = json.NewDecoder(r).Decode(&struct{}{}) // a defect of the object changes nothing
		}
		ended <- true
	}()
	if !soon(ctx, begun) {
		return false
	}
	soon(ctx, ended)
	return true
}

// soon returns what comes from c within payloadWait, else false.
func soon(ctx context.Context, c <-chan bool) bool {
	ctx, stop := context.WithTimeout(ctx, payloadWait)
	defer stop()
	select {
	case v := <-c:
		return v
	case <-ctx.Done():
		return false
	}
}

// beginsObject reports whether r begins with a JSON object. A byte order mark and
// blanks may stand before it, fewer than r can hold.
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
