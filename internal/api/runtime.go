package api

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// maxRuntime bounds the runtime file, in bytes.
const maxRuntime = 1 << 20

// Runtime is the runtime file: everything that a hook needs to know. Only the daemon
// that holds the lock writes it. It is not removed when the daemon ends, because
// pauses and exclusions apply without a daemon too.
type Runtime struct {
	Data     string    `json:"data"` // data directory of the daemon
	Socket   string    `json:"socket"`
	Token    string    `json:"token"`
	Version  string    `json:"version"`
	Build    string    `json:"build"`
	Protocol int       `json:"protocol"`
	PID      int       `json:"pid"` // for information only; never used to kill a process
	Started  time.Time `json:"started"`

	HTTP      string `json:"http,omitempty"`       // host and port of the HTTP listener; empty if there is none
	HTTPFault string `json:"http_fault,omitempty"` // why a configured listener does not run

	HTTPPort int `json:"http_port,omitempty"` // last port of the HTTP listener; 0 if there was none
	Login    Key `json:"login,omitzero"`      // key of browser logins

	Paused     []mem.Pause `json:"paused,omitempty"`
	Rules      []string    `json:"rules,omitempty"`       // secret patterns that the person configured, NAME=PATTERN
	SpoolBytes int64       `json:"spool_bytes,omitempty"` // limit of the spool; 0 means its default
}

// ReadRuntime reads the runtime file. It returns an error if the file belongs to
// another user or if others can write it, and fs.ErrNotExist if no daemon ever ran.
func ReadRuntime(path string) (Runtime, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Runtime{}, fmt.Errorf("read runtime file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Runtime{}, fmt.Errorf("read runtime file: %s is not a regular file", path)
	}
	if err := checkOwner(info); err != nil {
		return Runtime{}, fmt.Errorf("read runtime file: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return Runtime{}, fmt.Errorf("read runtime file: %w", err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxRuntime))
	if err != nil {
		return Runtime{}, fmt.Errorf("read runtime file: %w", err)
	}
	var r Runtime
	if err := decode(body, &r); err != nil {
		return Runtime{}, fmt.Errorf("read runtime file: %w", err)
	}
	return r, nil
}

// Write replaces the runtime file, readable by this user only. A reader sees the old
// or the new content, never a part. After a power failure the file may be
// unreadable; the next daemon writes it again.
func (r Runtime) Write(path string) error {
	body, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write runtime file: %w", err)
	}
	err = fsx.Replace(fsx.Host{}, path, body, fsx.Replacement{Temp: ".runtime-" + rand.Text(), NoSync: true})
	if err != nil {
		return fmt.Errorf("write runtime file: %w", err)
	}
	return nil
}

// Client returns a client of the daemon that wrote the file. version is that of this program.
func (r Runtime) Client(version string) Client {
	return Client{Socket: r.Socket, Token: r.Token, Version: version}
}

// Wait returns a client once the daemon of the runtime file answers and accept
// returns true for the file; a nil accept accepts any. It retries after 2 ms, 5 ms
// and so on, up to every 50 ms, until ctx ends.
func Wait(ctx context.Context, path, version string, accept func(Runtime) bool) (Client, error) {
	for _, ms := range []int{2, 5, 10, 20, 30} {
		if c, ok := tryClient(ctx, path, version, accept); ok {
			return c, nil
		}
		if err := sleep(ctx, time.Duration(ms)*time.Millisecond); err != nil {
			return Client{}, fmt.Errorf("wait for the daemon: %w", err)
		}
	}
	for {
		if c, ok := tryClient(ctx, path, version, accept); ok {
			return c, nil
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return Client{}, fmt.Errorf("wait for the daemon: %w", err)
		}
	}
}

func tryClient(ctx context.Context, path, version string, accept func(Runtime) bool) (Client, bool) {
	r, err := ReadRuntime(path)
	if err != nil || accept != nil && !accept(r) {
		return Client{}, false
	}
	c := r.Client(version)
	h, err := c.Health(ctx)
	return c, err == nil && h.Status == OK
}
