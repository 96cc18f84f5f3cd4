package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/mem"
)

// maxRuntime bounds the runtime file, in bytes.
const maxRuntime = 1 << 20

// Runtime is the runtime file: all that a hook needs to know. Only the worker
// that holds the lock writes it. It stays behind when the worker ends, since
// pauses and exclusions hold without a worker too.
type Runtime struct {
	Data     string    `json:"data"` // data directory that the worker serves
	Socket   string    `json:"socket"`
	Token    string    `json:"token"`
	Version  string    `json:"version"`
	Build    string    `json:"build"`
	Protocol int       `json:"protocol"`
	PID      int       `json:"pid"` // information only: proves nothing, nothing is killed by it
	Started  time.Time `json:"started"`

	HTTP      string `json:"http,omitempty"`       // host and port of the door on TCP; empty: there is none
	HTTPFault string `json:"http_fault,omitempty"` // why there is none, although one was asked for

	HTTPPort int `json:"http_port,omitempty"` // that was last taken for a person's browser; 0: never
	Login    Key `json:"login,omitzero"`      // of browsers

	Paused     []mem.Pause `json:"paused,omitempty"`
	Rules      []string    `json:"rules,omitempty"`       // secrets of the person's own, NAME=PATTERN
	SpoolBytes int64       `json:"spool_bytes,omitempty"` // cap of the spool; 0 means its default
}

// ReadRuntime reads the runtime file, if it is this user's and nobody else's to
// write. fs.ErrNotExist if there never was a worker.
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

// Write replaces the runtime file, readable by this user alone. A reader sees
// the old or the new content, never a part. After a power cut the file may be
// unreadable; the next worker makes it anew.
func (r Runtime) Write(path string) error {
	body, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write runtime file: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".runtime-*")
	if err != nil {
		return fmt.Errorf("write runtime file: %w", err)
	}
	_, err = f.Write(body)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write runtime file: %w", err)
	}
	return nil
}

// Client returns the client of the worker that wrote the file. version is this program's.
func (r Runtime) Client(version string) Client {
	return Client{Socket: r.Socket, Token: r.Token, Version: version}
}

// Wait returns a client once the worker of the runtime file answers, if ours says
// yes to it, or the end of ctx as an error; a nil ours does so to all. It looks
// again after 2 ms, 5 ms, 10 ms and so on up to every 50 ms.
func Wait(ctx context.Context, path, version string, ours func(Runtime) bool) (Client, error) {
	for _, ms := range []int{2, 5, 10, 20, 30} {
		if c, ok := answering(ctx, path, version, ours); ok {
			return c, nil
		}
		if err := sleep(ctx, time.Duration(ms)*time.Millisecond); err != nil {
			return Client{}, fmt.Errorf("wait for the worker: %w", err)
		}
	}
	for {
		if c, ok := answering(ctx, path, version, ours); ok {
			return c, nil
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return Client{}, fmt.Errorf("wait for the worker: %w", err)
		}
	}
}

func answering(ctx context.Context, path, version string, ours func(Runtime) bool) (Client, bool) {
	r, err := ReadRuntime(path)
	if err != nil || ours != nil && !ours(r) {
		return Client{}, false
	}
	c := r.Client(version)
	h, err := c.Health(ctx)
	return c, err == nil && h.Status == OK
}
