package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// wire is a server that keeps what is sent.
type wire struct {
	sent chan string
	fail bool
}

func (w *wire) Notify(ctx context.Context, text string) error {
	if w.fail {
		w.fail = false
		return errors.New("away")
	}
	select {
	case w.sent <- text:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func (w *wire) Listen(context.Context, func(), func(string)) error { return nil }

// group returns a group with a message limit, and where its messages go.
func group(most int) (*Group, *wire) {
	w := &wire{sent: make(chan string, 100)}
	return New(Config{
		Server: w, Name: "one", Most: most, Live: &api.Live{}, Index: &noted{}, Log: slog.New(slog.DiscardHandler),
	}), w
}

// sends returns what is sent of changes, until there are n of them.
func sends(t *testing.T, g *Group, w *wire, n int) (messages []message) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Send(ctx) }()
	for got := 0; got < n; {
		var m message
		text := <-w.sent
		if err := json.Unmarshal([]byte(text), &m); err != nil || len(text) > g.most {
			t.Fatalf("%d bytes, %v: %s", len(text), err, text)
		}
		messages, got = append(messages, m), got+len(m.Changes)
		if len(m.Changes) == 0 {
			got++
		}
	}
	stop()
	<-ended
	return messages
}

func change(i int) api.Change {
	return api.Change{
		Type: api.NewObservation, IDs: []string{fmt.Sprint("m_", i)}, Title: "swordfish", Project: "p_1",
	}
}

func TestManyChangesGoInFewMessagesWithoutTheirTexts(t *testing.T) {
	g, w := group(2000)
	var all []api.Change
	for i := range 50 {
		all = append(all, change(i))
	}
	g.Announce(all)
	messages := sends(t, g, w, len(all))
	if len(messages) > 10 {
		t.Errorf("%d messages", len(messages))
	}
	i := 0
	for _, m := range messages {
		for _, c := range m.Changes {
			if want := fmt.Sprint("m_", i); c.IDs[0] != want || c.Title != "" || m.Missed {
				t.Errorf("%+v, want %s without a title", c, want)
			}
			i++
		}
	}
}

func TestWhatIsTooLongOrTooMuchIsMissed(t *testing.T) {
	g, w := group(500)
	long := change(1)
	long.IDs = []string{strings.Repeat("m", 600)}
	g.Announce([]api.Change{long})
	if m := sends(t, g, w, 1); !m[0].Missed || len(m[0].Changes) != 0 {
		t.Errorf("%+v, want that something was missed", m)
	}
	for range waitingChanges + 1 {
		g.Announce([]api.Change{change(1)})
	}
	if m := sends(t, g, w, 1); !m[0].Missed {
		t.Errorf("%+v, want that something was missed", m)
	}
}

func TestTheNextMessageSaysThatOneWasNotSent(t *testing.T) {
	g, w := group(500)
	w.fail = true
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Send(ctx) }()
	g.Announce([]api.Change{change(1)})
	for len(g.pending) > 0 || !g.missed.Load() { // until the first was tried
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
	g.Announce([]api.Change{change(2)})
	var m message
	if err := json.Unmarshal([]byte(<-w.sent), &m); err != nil || !m.Missed || m.Changes[0].IDs[0] != "m_2" {
		t.Errorf("%+v, %v", m, err)
	}
	stop()
	<-ended
}

// titles is a store with one memory and one private prompt.
type titles struct{}

func (titles) List(_ context.Context, q mem.Query) ([]mem.Memory, error) {
	return []mem.Memory{{ID: q.IDs[0], Title: "the till rounds"}}, nil
}

func (titles) Turns(context.Context, string, int) ([]mem.Turn, error) {
	return []mem.Turn{{Number: 3, Text: "open", Private: false}, {Number: 2, Text: "hidden", Private: true}}, nil
}

func TestTitlesComeFromTheStore(t *testing.T) {
	g, _ := group(500)
	g.store, g.title = titles{}, strings.ToUpper
	for want, c := range map[string]api.Change{
		"the till rounds": change(1),
		"OPEN":            {Type: api.NewPrompt, Session: "s", Number: 3},
		"":                {Type: api.NewPrompt, Session: "s", Number: 2},
	} {
		if got := g.titleOf(t.Context(), c); got != want {
			t.Errorf("%+v is shown as %q, want %q", c, got, want)
		}
	}
}

// noted is an index that keeps what it gets.
type noted struct{ got []string }

func (n *noted) Resume()             { n.got = append(n.got, "resume") }
func (n *noted) Pause()              { n.got = append(n.got, "pause") }
func (n *noted) Touch(ids ...string) { n.got = append(n.got, ids...) }

func TestTheIndexGetsWhatOthersWrite(t *testing.T) {
	g, _ := group(1000)
	for _, text := range []string{
		`{"from":"one","memories":["m_own"]}`, `{"from":"two","memories":["m_1","m_2"]}`, `{"memories":["m_3"]}`,
		`{"all":true}`, "no message",
	} {
		g.receive(t.Context(), text)
	}
	if got := strings.Join(g.index.(*noted).got, " "); got != "m_1 m_2 m_3 resume" {
		t.Errorf("the index was got %q", got)
	}
}
