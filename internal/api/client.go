package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"remanence/internal/mem"
)

// maxReply is the largest response read, in bytes.
const maxReply = 64 << 20

// Client calls the daemon over its unix socket. Each call uses one connection in the
// caller's goroutine and ends with its context.
type Client struct {
	Socket  string
	Token   string
	Version string // of this program, for the daemon's log
}

// Call implements Caller.
func (c Client) Call(ctx context.Context, name string, req, rep any) error {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(req); err != nil {
		return fmt.Errorf("call %s: %w", name, err)
	}
	return c.call(ctx, http.MethodPost, prefix+name, body.Bytes(), rep)
}

// Handle implements mem.Handler with the event route.
func (c Client) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	body, err := encode(e)
	if err != nil {
		return mem.Reply{}, fmt.Errorf("call %s: %w", Event.Name, err)
	}
	var answer json.RawMessage
	if err := c.call(ctx, http.MethodPost, prefix+Event.Name, body, &answer); err != nil {
		return mem.Reply{}, err
	}
	var r mem.Reply
	if err := decode(answer, &r); err != nil {
		return mem.Reply{}, fmt.Errorf("call %s: response: %w", Event.Name, err)
	}
	return r, nil
}

// Health returns the state of the daemon.
func (c Client) Health(ctx context.Context) (Health, error) {
	var h Health
	err := c.call(ctx, http.MethodGet, "/api/health", nil, &h)
	return h, err
}

// Drain asks the daemon to finish and exit, and waits until its socket accepts no
// more connections. Its lock may be held a little longer, while the database closes.
func (c Client) Drain(ctx context.Context) error {
	if _, err := Drain.Call(ctx, c, Nothing{}); err != nil {
		return err
	}
	for {
		conn, err := c.dial(ctx)
		if err != nil {
			return ctx.Err()
		}
		_ = conn.Close()
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

func (c Client) call(ctx context.Context, method, path string, body []byte, rep any) error {
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	answer, err := c.exchange(ctx, conn, method, path, body)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("call %s: %w", path, deadline(err))
	}
	if err := json.Unmarshal(answer, rep); err != nil {
		return fmt.Errorf("call %s: response: %w", path, err)
	}
	return nil
}

// dial connects to the socket. It first checks that only this user can have created
// the socket, and then that a process of this user listens.
func (c Client) dial(ctx context.Context) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Socket == "" {
		return nil, ErrUnreachable
	}
	if err := CheckDir(filepath.Dir(c.Socket)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.Socket)
	if errors.Is(err, context.DeadlineExceeded) { // possibly before it was tried
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if !OwnPeer(conn) {
		_ = conn.Close()
		return nil, fmt.Errorf("%w: a process of another user listens there", ErrUnreachable)
	}
	return conn, nil
}

func (c Client) exchange(ctx context.Context, conn net.Conn, method, path string, body []byte) ([]byte, error) {
	if end, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(end); err != nil {
			return nil, err
		}
	}
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	req, err := http.NewRequest(method, "http://"+SocketHost+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Close = true
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("User-Agent", "remanence/"+c.Version)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	// The daemon may refuse before it has read everything, so a failed write is
	// reported only if there is no response.
	sent := req.Write(conn)
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		return nil, gone(errors.Join(err, sent))
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return nil, gone(err)
	}
	if len(answer) > maxReply {
		return nil, errors.New("response is too long")
	}
	if resp.StatusCode != http.StatusOK {
		return nil, readProblem(resp.StatusCode, answer)
	}
	return answer, nil
}

func readProblem(status int, body []byte) error {
	var p problem
	if err := json.Unmarshal(body, &p); err != nil || p.Name == "" {
		return &Error{Status: status, Name: http.StatusText(status)}
	}
	return &Error{Status: status, Name: p.Name, Detail: p.Detail, Fix: p.Fix}
}

// gone returns ErrGone if the connection ended before the response.
func gone(err error) error {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return fmt.Errorf("%w: %w", ErrGone, err)
		}
	}
	return err
}

// deadline converts a connection's timeout to that of the context.
func deadline(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}

// sleep waits for d or for the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
