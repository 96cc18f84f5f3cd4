package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
)

// onlooker is a client of a feed.
type onlooker struct {
	*bufio.Scanner
	resp *http.Response
}

// liveEvent is one event of a stream.
type liveEvent struct{ id, event, data string }

func lookOn(t testing.TB, url, last string) *onlooker {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return &onlooker{bufio.NewScanner(resp.Body), resp}
}

// next is the next event; the zero value at the end of the stream.
func (o *onlooker) next() (e liveEvent) {
	for o.Scan() {
		name, value, _ := strings.Cut(o.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.event = value
		case "data":
			e.data = value
		case "":
			if e.data != "" {
				return e
			}
		}
	}
	return liveEvent{}
}

func serveLive(t testing.TB, f *api.Live) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(func() { f.End(); s.Close() })
	return s.URL
}

func prompts(from, n int) []api.Change {
	var all []api.Change
	for i := range n {
		all = append(all, api.Change{Type: api.NewPrompt, Number: from + i})
	}
	return all
}

func TestAStreamSendsEveryChangeOnceAndInOrder(t *testing.T) {
	f := &api.Live{Initial: func(context.Context) (any, error) { return map[string]int{"sessions": 3}, nil }}
	url := serveLive(t, f)
	f.Publish(prompts(0, 3)...) // no client is connected
	ours, theirs := lookOn(t, url+"/api/v1/events", ""), lookOn(t, url+"/stream", "")
	if got := ours.next(); got.event != "hello" || strings.Contains(got.data, "sessions") {
		t.Errorf("got %+v, want hello", got)
	}
	if got := theirs.next(); got.event != "" || !strings.Contains(got.data, `"type":"initial_load"`) ||
		!strings.Contains(got.data, `"now":{"sessions":3}`) {
		t.Errorf("got %+v, want how it stands as a plain message", got)
	}
	f.Publish(prompts(1, 2)...)
	f.Publish(api.Change{Type: api.Changed, What: []string{"memory"}, IDs: []string{"m_1"}})
	last := int64(0)
	for i, want := range []string{"new_prompt", "new_prompt", "changed"} {
		a, b := ours.next(), theirs.next()
		var c api.Change
		if err := json.Unmarshal([]byte(a.data), &c); err != nil {
			t.Fatal(err)
		}
		if a.event != want || c.Type != want || a.id != fmt.Sprint(c.ID) || b.data != a.data || b.event != "" ||
			b.id != a.id {
			t.Errorf("%d: got %+v and %+v, want %s", i, a, b, want)
		}
		if c.ID <= last || c.At.IsZero() || want == "new_prompt" && c.Number != i+1 {
			t.Errorf("%d: got %+v after id %d", i, c, last)
		}
		last = c.ID
	}
}

func TestAStreamBeginsWithHowLongNothingChanged(t *testing.T) {
	f := &api.Live{}
	url := serveLive(t, f) + "/api/v1/events"
	hello := func() (quiet *int64) {
		var got struct {
			Quiet *int64 `json:"quiet_ms"`
		}
		if err := json.Unmarshal([]byte(lookOn(t, url, "").next().data), &got); err != nil {
			t.Fatal(err)
		}
		return got.Quiet
	}
	if f.Touch() {
		t.Error("a client is counted before one connected")
	}
	began := time.Now()
	if got := hello(); got == nil || *got < 0 {
		t.Errorf("got %v after a change without a client, want how long ago it was", got)
	}
	if !f.Touch() {
		t.Error("no client is counted after one connected")
	}
	f.Publish(prompts(0, 1)...)
	if got := hello(); got == nil || *got > time.Since(began).Milliseconds() {
		t.Errorf("got %v after one that was sent, want at most %v", got, time.Since(began))
	}
	f = &api.Live{}
	url = serveLive(t, f) + "/api/v1/events"
	if got := hello(); got != nil {
		t.Errorf("got %d before any change, want nothing", *got)
	}
	f.Publish(prompts(0, 1)...)
	if got := hello(); got == nil {
		t.Error("got nothing after a change that was sent, want how long ago it was")
	}
}

func TestWhoComesBackMissesNothing(t *testing.T) {
	f := &api.Live{}
	url := serveLive(t, f) + "/api/v1/events"
	o := lookOn(t, url, "")
	start := o.next().id
	f.Publish(prompts(1, 5)...)
	second := liveEvent{}
	for range 2 {
		second = o.next()
	}
	_ = o.resp.Body.Close()
	f.Publish(prompts(6, 1)...)
	for name, back := range map[string]*onlooker{
		"header": lookOn(t, url, second.id), "key": lookOn(t, url+"?after="+second.id, ""),
		"header first": lookOn(t, url+"?after="+start, second.id),
	} {
		for want := 3; want <= 6; want++ {
			if got := back.next(); !strings.Contains(got.data, fmt.Sprintf(`"number":%d`, want)) {
				t.Errorf("%s: got %+v, want number %d", name, got, want)
			}
		}
	}
}

func TestAClientThatMissedTooMuchIsInformed(t *testing.T) {
	f := &api.Live{}
	url := serveLive(t, f) + "/api/v1/events"
	id := lookOn(t, url, "").next().id
	for range 5 {
		f.Publish(prompts(1, 1000)...)
	}
	for name, last := range map[string]string{
		"long ago": id, "of an earlier worker": "7",
		"of no event yet": "9007199254740991",
	} {
		o := lookOn(t, url, last)
		if got := o.next(); got.event != "resync" {
			t.Fatalf("%s: got %+v, want resync", name, got)
		}
		f.Publish(prompts(77, 1)...)
		if got := o.next(); !strings.Contains(got.data, `"number":77`) {
			t.Errorf("%s: got %+v, want what came next", name, got)
		}
		_ = o.resp.Body.Close()
	}
}

func TestAStreamThatGoesOnIsOpenBeforeAnythingHappens(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	var f api.Live
	look := func(target string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		f.ServeHTTP(rec, httptest.NewRequestWithContext(gone, "GET", target, nil))
		return rec
	}
	_, rest, _ := strings.Cut(look(api.EventsPath).Body.String(), "id: ")
	id, _, _ := strings.Cut(rest, "\n")
	if rec := look(api.EventsPath + "?after=" + id); !rec.Flushed || rec.Body.Len() > 0 {
		t.Errorf("after %s: reported as open: %v, and %q", id, rec.Flushed, rec.Body)
	}
}

func TestStreamsAreFewAndEnd(t *testing.T) {
	f := &api.Live{}
	url := serveLive(t, f) + "/stream"
	var all []*onlooker
	for range api.MaxStreams {
		o := lookOn(t, url, "")
		o.next()
		all = append(all, o)
	}
	if o := lookOn(t, url, ""); o.resp.StatusCode != 503 ||
		o.resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("one more: status %d, want 503", o.resp.StatusCode)
	}
	_ = all[0].resp.Body.Close()
	for end := time.Now().Add(time.Minute); f.Streams() == api.MaxStreams && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	o := lookOn(t, url, "")
	if o.resp.StatusCode != 200 {
		t.Errorf("after one left: status %d, want 200", o.resp.StatusCode)
	}
	f.End()
	o.next()
	if got := o.next(); got != (liveEvent{}) {
		t.Errorf("after the end: got %+v, want the end of the stream", got)
	}
	if o := lookOn(t, url, ""); o.resp.StatusCode != 503 {
		t.Errorf("after the end: status %d, want 503", o.resp.StatusCode)
	}
}

func TestAStreamThatIsNotUnderstoodIsRefused(t *testing.T) {
	for _, tt := range []struct {
		method, target, last string
		want                 int
	}{
		{"POST", "/stream", "", 405},
		{"HEAD", "/stream", "", 405},
		{"GET", "/stream?", "", 400},
		{"GET", "/stream?x=1", "", 400},
		{"GET", "/stream?after=1&x=1", "", 400},
		{"GET", "/stream?after=1&after=2", "", 400},
		{"GET", "/stream?after=x", "", 400},
		{"GET", "/stream?after=-1", "", 400},
		{"GET", "/stream", "x", 400},
	} {
		r := request(tt.method, tt.target, " ", map[string]string{"Content-Length": "0"})
		if tt.last != "" {
			r.Header.Set("Last-Event-ID", tt.last)
		}
		rec := httptest.NewRecorder()
		(&api.Live{}).ServeHTTP(rec, r)
		if rec.Code != tt.want {
			t.Errorf("%s %s %q: status %d, want %d", tt.method, tt.target, tt.last, rec.Code, tt.want)
		}
	}
}

// A thousand changes a second go to all that may look on, and none is lost.
func TestNothingIsLostOnTheWay(t *testing.T) {
	const n = 3000
	f := &api.Live{}
	url := serveLive(t, f) + "/api/v1/events"
	done := make(chan error, api.MaxStreams)
	for range api.MaxStreams {
		o := lookOn(t, url, "")
		o.next()
		go func() {
			for want := 1; want <= n; want++ {
				if got := o.next(); !strings.Contains(got.data, fmt.Sprintf(`"number":%d,`, want)) &&
					!strings.HasSuffix(got.data, fmt.Sprintf(`"number":%d}`, want)) {
					done <- fmt.Errorf("got %+v, want number %d", got, want)
					return
				}
			}
			done <- nil
		}()
	}
	for i := range n / 10 {
		f.Publish(prompts(i*10+1, 10)...)
		time.Sleep(time.Millisecond)
	}
	for range api.MaxStreams {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkLive is one change to 8 streams over loopback; see the report of
// changes a second.
func BenchmarkLive(b *testing.B) {
	f := &api.Live{}
	url := serveLive(b, f) + "/api/v1/events"
	done := make(chan int, api.MaxStreams)
	for range api.MaxStreams {
		o := lookOn(b, url, "")
		o.next()
		go func() {
			got := 0
			for got < b.N {
				if o.next().event != "new_prompt" {
					break
				}
				got++
			}
			done <- got
		}()
	}
	b.ResetTimer()
	for i := range b.N {
		f.Publish(prompts(i, 1)...)
		if i%100 == 99 {
			time.Sleep(time.Millisecond)
		}
	}
	for range api.MaxStreams {
		if got := <-done; got != b.N {
			b.Fatalf("a stream got %d of %d", got, b.N)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
}
