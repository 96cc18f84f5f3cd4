//go:build fire

package privacy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/agent"
	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/hook"
	"remanence/internal/mem"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/sqlitetest"
	"remanence/test/canary"
	"remanence/test/tier"
	"remanence/test/world"
)

// chain is everything between a client and the disk, in this process: hook,
// redactor, dialect, engine, store.
type chain struct {
	t      *testing.T
	store  mem.Store
	hook   hook.Config
	kept   int
	events []mem.Event // as they left the hook: what a spool would get
}

func newChain(t *testing.T, st mem.Store) *chain {
	t.Helper()
	dialect, _ := agent.ByName("claude-code")
	c := &chain{t: t, store: st}
	e := engine.New(engine.Config{
		Store: st, Redactor: &redact.Redactor{Key: []byte("k")}, Now: time.Now, Slack: time.Minute,
		Settings: func() event.Settings { return event.Defaults(event.Full) },
		Project:  func(dir string) (mem.Project, error) { return mem.Project{Key: "p_1", Name: "till", Root: dir}, nil },
		Rel:      func(_ mem.Project, file string) string { return filepath.Base(file) },
	})
	d := &redact.Redactor{Key: []byte("k")}
	c.hook = hook.Config{
		Dialect: dialect, Stdout: io.Discard, Now: time.Now, Slack: time.Minute,
		Getenv: func(name string) string {
			return map[string]string{"CLAUDE_PROJECT_DIR": "/till", "CLAUDECODE": "1"}[name]
		},
		ReadPayload: func(r io.Reader) (hook.Payload, error) {
			o, err := d.Object(r)
			return hook.Payload{JSON: o.JSON, Size: o.Size, Truncated: o.Truncated, Private: o.Counts.Private > 0}, err
		},
		Handler: handler(func(ev mem.Event) (mem.Reply, error) {
			c.kept++
			c.events = append(c.events, ev)
			return e.Handle(t.Context(), ev)
		}),
		Exit: func(int) {},
	}
	return c
}

// say sends one payload through the chain.
func (c *chain) say(payload []byte, nonce int) {
	h := c.hook
	h.Stdin, h.Nonce = bytes.NewReader(payload), fmt.Sprint(nonce)
	hook.Run(h)
}

// everything is all that went out of the hook and all that the store holds.
func (c *chain) everything() []byte {
	c.t.Helper()
	ctx := c.t.Context()
	all := []any{c.events}
	add := func(v any, err error) {
		if err != nil {
			c.t.Fatalf("%T: %v", v, err)
		}
		all = append(all, v)
	}
	ms, err := c.store.List(ctx, mem.Query{Hidden: true, Within: "*", Limit: 100_000})
	add(ms, err)
	for _, m := range ms {
		all = append(all, m.Index)
	}
	evs, err := c.store.Events(ctx, mem.EventQuery{Limit: 100_000})
	add(evs, err)
	cps, err := c.store.Checkpoints(ctx, mem.CheckpointQuery{Limit: 100_000})
	add(cps, err)
	rs, err := c.store.Receipts(ctx, mem.ReceiptQuery{Limit: 100_000})
	add(rs, err)
	ss, err := c.store.Sessions(ctx, mem.SessionQuery{Limit: 100_000})
	add(ss, err)
	for _, s := range ss {
		ts, err := c.store.Turns(ctx, s.ID, 100_000)
		add(ts, err)
		all = append(all, s.StateLine)
	}
	b, err := json.Marshal(all)
	if err != nil {
		c.t.Fatal(err)
	}
	return b
}

// A part of the inputs is sent through one chain, then everything is looked at.
const portion = 200

func TestNoEncodingOfPrivateTextPassesTheHook(t *testing.T) {
	r := tier.Rand(t)
	all := fields(t, world.NewPerson(t))
	through := 0
	for n := 0; n < tier.Runs(2_000, 200_000); n += portion {
		c := newChain(t, sqlitetest.Open(t, time.Now))
		sent := make([][]byte, portion)
		for i := range sent {
			sent[i] = next(t, r, all)
			c.say(sent[i], i)
		}
		through += c.kept
		if bytes.Contains(c.everything(), []byte(canary.Word)) {
			t.Fatalf("private text came through: %s", culprit(t, sent))
		}
	}
	t.Logf("%d events were kept", through)
	if through == 0 {
		t.Error("no event came through: this proves nothing")
	}
}

// next is a payload with a private span in one of its texts.
func next(t *testing.T, r *rand.Rand, all []field) []byte {
	f := all[r.IntN(len(all))]
	return planted(t, f.payload, f.at, canary.Value(r))
}

// culprit finds the first payload that alone shows what many did.
func culprit(t *testing.T, sent [][]byte) string {
	for i, payload := range sent {
		c := newChain(t, sqlitetest.Open(t, time.Now))
		c.say(payload, i)
		if bytes.Contains(c.everything(), []byte(canary.Word)) {
			return fmt.Sprintf("%.4000q", payload)
		}
	}
	return "only together"
}

// The same into the real store, whose files are then read byte by byte.
func TestNoPrivateByteReachesTheDatabase(t *testing.T) {
	r := tier.Rand(t)
	all := fields(t, world.NewPerson(t))
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(dir, "remanence.db")})
	if err != nil {
		t.Fatal(err)
	}
	c := newChain(t, st)
	for i := range tier.Runs(300, 20_000) {
		c.say(next(t, r, all), i)
	}
	if c.kept == 0 {
		t.Error("no event came through: this proves nothing")
	}
	for _, f := range remains(t, dir, canary.Word) {
		t.Errorf("open: left in %s", f)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range remains(t, dir, canary.Word) {
		t.Errorf("closed: left in %s", f)
	}
}

// Every kind of secret in every field of every event.
func TestNoSecretPassesTheHook(t *testing.T) {
	r := tier.Rand(t)
	all := fields(t, world.NewPerson(t))
	if !tier.IsLong() {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:40]
	}
	total, missed := 0, map[string]int{}
	for part := range slices.Chunk(all, 10) {
		c := newChain(t, sqlitetest.Open(t, time.Now))
		var sent []canary.Secret
		for _, f := range part {
			for i, s := range canary.Secrets(r) {
				sent = append(sent, s)
				c.say(planted(t, f.payload, f.at, place(r, s)), i)
			}
		}
		got := string(c.everything())
		for _, s := range sent {
			total++
			if strings.Contains(got, s.Core) {
				missed[s.Kind]++
			}
		}
	}
	lost := 0
	for _, n := range missed {
		lost += n
	}
	t.Logf("%d of %d secrets came through: %v", lost, total, missed)
	if lost*100 > total {
		t.Errorf("%d of %d secrets came through, want at most 1 in 100", lost, total)
	}
}

// place puts a secret into a text: alone, in a sentence, or where long texts are cut.
func place(r *rand.Rand, s canary.Secret) string {
	switch r.IntN(12) {
	case 0:
		filler := strings.Repeat("some words\n", 20_000)
		at := []int{
			64 << 10, 72 << 10, 128 << 10, len(filler) - (32 << 10),
			len(filler) - (40 << 10),
		}[r.IntN(5)] - r.IntN(2*len(s.Text))
		return filler[:at] + " " + s.Text + " " + filler[at:]
	case 1, 2, 3:
		return "use " + s.Text + " for it"
	case 4, 5:
		return `{"key":"` + s.Text + `"}`
	}
	return s.Text
}

// handler is a function as mem.Handler.
type handler func(mem.Event) (mem.Reply, error)

// Handle implements mem.Handler.
func (h handler) Handle(_ context.Context, e mem.Event) (mem.Reply, error) { return h(e) }
