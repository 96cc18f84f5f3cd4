package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"remanence/internal/egress"
	"remanence/internal/mem"
)

// asked is what a server was sent.
type asked struct {
	path, key, body string
	Model           string
	Input           []string
	Format          string `json:"encoding_format"`
	Dimensions      int
}

// server answers with answer and notes what it was asked.
func server(t *testing.T, answer func(w http.ResponseWriter, a asked)) (url string, seen *[]asked) {
	t.Helper()
	seen = &[]asked{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		a := asked{path: r.URL.Path, key: r.Header.Get("Authorization"), body: string(b)}
		if err := json.Unmarshal(b, &a); err != nil {
			t.Errorf("asked %q: %v", b, err)
		}
		*seen = append(*seen, a)
		answer(w, a)
	}))
	t.Cleanup(s.Close)
	return s.URL, seen
}

func embedder(t *testing.T, cfg Config) *Embedder {
	t.Helper()
	if cfg.Model == "" {
		cfg.Model = "tiny"
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 5 * time.Minute // none of them is about a slow answer
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// vector returns a vector that depends on the length of a text.
func vector(text string) string { return fmt.Sprintf("[%d, 3, -0.5]", len(text)) }

// inOpenAI writes vectors last first: only the index says whose they are.
func inOpenAI(w http.ResponseWriter, a asked) {
	var data []string
	for i, text := range a.Input {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, vector(text)))
	}
	slices.Reverse(data)
	fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"m"}`, strings.Join(data, ","))
}

func inOllama(w http.ResponseWriter, a asked) {
	var vs []string
	for _, text := range a.Input {
		vs = append(vs, vector(text))
	}
	fmt.Fprintf(w, `{"model":"m","embeddings":[%s],"total_duration":1}`, strings.Join(vs, ","))
}

func says(text string) func(http.ResponseWriter, asked) {
	return func(w http.ResponseWriter, _ asked) { fmt.Fprint(w, text) }
}

func status(code int, header ...string) func(http.ResponseWriter, asked) {
	return func(w http.ResponseWriter, _ asked) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, `{"error":"you sent hunter2"}`)
	}
}

func isLater(err error) (mem.RetryLater, bool) {
	var l mem.RetryLater
	return l, errors.As(err, &l)
}

func TestBothContractsAreSpoken(t *testing.T) {
	for _, c := range []struct {
		kind, base, path string
		answer           func(http.ResponseWriter, asked)
	}{
		{Ollama, "", "/api/embed", inOllama},
		{Ollama, "/", "/api/embed", inOllama},
		{OpenAI, "", "/v1/embeddings", inOpenAI},
		{OpenAI, "/v1", "/v1/embeddings", inOpenAI},
		{OpenAI, "/proxy/v1/", "/proxy/v1/embeddings", inOpenAI},
	} {
		t.Run(c.kind+c.base, func(t *testing.T) {
			url, seen := server(t, c.answer)
			e := embedder(t, Config{Kind: c.kind, URL: url + c.base})
			vs, err := e.Embed(t.Context(), []string{"a", "four", "no"})
			if err != nil {
				t.Fatal(err)
			}
			for i, length := range []float64{1, 4, 2} {
				norm := math.Sqrt(length*length + 9 + 0.25)
				if got, want := float64(vs[i][0]), length/norm; math.Abs(got-want) > 1e-6 {
					t.Errorf("vector %d begins with %v, want %v", i, got, want)
				}
			}
			a := (*seen)[0]
			if a.path != c.path || a.Model != "tiny" || a.key != "" || !slices.Equal(a.Input, []string{"a", "four", "no"}) {
				t.Errorf("asked %+v", a)
			}
			if c.kind == OpenAI && a.Format != "float" {
				t.Errorf("encoding_format is %q, want float", a.Format)
			}
			if strings.Contains(a.body, "dimensions") {
				t.Errorf("dimensions are requested that were not set: %s", a.body)
			}
		})
	}
}

func TestWhatServersRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, asked)
		later  bool
		wait   time.Duration
		says   string
	}{
		"too many requests":     {status(429, "Retry-After", "30"), true, 30 * time.Second, "429"},
		"too many, and no hint": {status(429), true, 0, "429"},
		"overloaded": {
			status(503, "Retry-After", "Fri, 02 Jan 2026 03:04:35 GMT"), true, 30 * time.Second,
			"503",
		},
		"overloaded for a year":     {status(503, "Retry-After", "31536000"), true, egress.MostWait, "503"},
		"a wait that is none":       {status(503, "Retry-After", "soon"), true, 0, "503"},
		"a wait too long to count":  {status(503, "Retry-After", "99999999999999"), true, egress.MostWait, "503"},
		"a defect":                  {status(500), false, 0, "500"},
		"another key":               {status(401), false, 0, "key"},
		"no such model":             {status(404), false, 0, `no model "tiny"`},
		"no content":                {status(204), false, 0, "204"},
		"the connection is cut":     {cut, true, 0, "breaks off"},
		"cut before the first byte": {gone, true, 0, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := server(t, c.answer)
			now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
			_, err := embedder(t, Config{Kind: Ollama, URL: url, Now: now}).Embed(t.Context(), []string{"a"})
			l, later := isLater(err)
			if err == nil || later != c.later || l.Wait != c.wait || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v (later %v in %v), want later %v in %v and %q", err, later, l.Wait, c.later, c.wait, c.says)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error repeats what the server said: %v", err)
			}
		})
	}
}

func cut(w http.ResponseWriter, _ asked) {
	w.Header().Set("Content-Length", "1000")
	fmt.Fprint(w, `{"embeddings":[[1,2`)
}

func gone(http.ResponseWriter, asked) { panic(http.ErrAbortHandler) }

func TestAServerThatIsNotThereIsForLater(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err := embedder(t, Config{Kind: Ollama, URL: s.URL}).Embed(t.Context(), []string{"a"})
	if _, later := isLater(err); !later {
		t.Errorf("got %v, want an error that says to try later", err)
	}
}

func TestASlowServerCostsNoMoreThanTheLimit(t *testing.T) {
	free := make(chan struct{})
	url, _ := server(t, func(http.ResponseWriter, asked) { <-free })
	defer close(free)
	_, err := embedder(t, Config{Kind: Ollama, URL: url, Timeout: 20 * time.Millisecond}).Embed(t.Context(), []string{"a"})
	if _, later := isLater(err); !later || !strings.Contains(err.Error(), "in time") {
		t.Errorf("got %v, want that it does not answer in time", err)
	}
}

func TestTextsGoInGroupsAndAreCut(t *testing.T) {
	url, seen := server(t, inOllama)
	texts := make([]string, 70)
	for i := range texts {
		texts[i] = strings.Repeat("é", i)
	}
	texts[69] = strings.Repeat("é", MaxText+5)
	vs, err := embedder(t, Config{Kind: Ollama, URL: url}).Embed(t.Context(), texts)
	if err != nil || len(vs) != 70 {
		t.Fatalf("%d vectors, %v", len(vs), err)
	}
	var sizes []int
	for _, a := range *seen {
		sizes = append(sizes, len(a.Input))
	}
	if !slices.Equal(sizes, []int{32, 32, 6}) {
		t.Errorf("groups of %v, want 32, 32 and 6", sizes)
	}
	last := (*seen)[2].Input[5]
	if n := utf8.RuneCountInString(last); n != MaxText || !utf8.ValidString(last) {
		t.Errorf("%d characters were sent, want %d whole ones", n, MaxText)
	}
}

func TestQueriesAndTextsAreDistinguished(t *testing.T) {
	url, seen := server(t, inOllama)
	e := embedder(t, Config{Kind: Ollama, URL: url, Model: "nomic-embed-text:v1.5"})
	if _, err := e.Embed(t.Context(), []string{"a note"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedQuestion(t.Context(), "a question"); err != nil {
		t.Fatal(err)
	}
	if a, b := (*seen)[0].Input[0], (*seen)[1].Input[0]; a != "search_document: a note" ||
		b != "search_query: a question" {
		t.Errorf("sent %q and %q", a, b)
	}
}

func TestRepeatedQueryIsSentOnce(t *testing.T) {
	url, seen := server(t, inOllama)
	e := embedder(t, Config{Kind: Ollama, URL: url})
	for i, question := range []string{"a", "a", "four", "a"} {
		v, err := e.EmbedQuestion(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(len(question))
		if want := n / math.Sqrt(n*n+9+0.25); math.Abs(float64(v[0])-want) > 1e-6 {
			t.Errorf("question %d has the vector %v", i, v)
		}
	}
	if len(*seen) != 3 {
		t.Errorf("%d requests, want 3", len(*seen))
	}
}

// A server that failed is left alone; who asks meanwhile does not wait.
func TestAServerThatFailedIsLeftAlone(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	answer := status(503)
	url, seen := server(t, func(w http.ResponseWriter, a asked) { answer(w, a) })
	e := embedder(t, Config{Kind: Ollama, URL: url, Now: func() time.Time { return now }})
	try := func() (int, error) {
		before := len(*seen)
		_, err := e.Embed(t.Context(), []string{"a"})
		return len(*seen) - before, err
	}
	for i, pause := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		if n, err := try(); n != 1 || err == nil {
			t.Fatalf("try %d: %d requests, %v", i, n, err)
		}
		now = now.Add(pause - time.Millisecond)
		n, err := try()
		l, later := isLater(err)
		if n != 0 || !errors.Is(err, egress.ErrResting) || !later || l.Wait != time.Millisecond {
			t.Errorf("within rest %d: %d requests, %v, wait %v", i, n, err, l.Wait)
		}
		now = now.Add(time.Millisecond)
	}
	if e.LastError() == nil {
		t.Error("the last error is not known")
	}
	before := len(*seen)
	if _, err := e.Try(t.Context()); err == nil || len(*seen) != before+1 {
		t.Errorf("a person's try: %v after %d requests, want one that fails", err, len(*seen)-before)
	}
	now = now.Add(time.Second)
	answer = inOllama
	if n, err := try(); n != 1 || err != nil {
		t.Errorf("after the rest: %d requests, %v", n, err)
	}
	if err := e.LastError(); err != nil {
		t.Errorf("the last error is %v after a good answer", err)
	}
	answer = status(429, "Retry-After", "120")
	_, _ = try()
	now = now.Add(119 * time.Second)
	if n, _ := try(); n != 0 {
		t.Error("asked again before it wanted to be")
	}
	now = now.Add(time.Second)
	if n, _ := try(); n != 1 {
		t.Error("not asked again when it wanted to be")
	}
	now = now.Add(-time.Hour * 24) // a clock that was set back
	if n, _ := try(); n != 1 {
		t.Error("a clock that was set back keeps it from being asked")
	}
}

func TestWhoGoesAwayIsNoFaultOfTheServer(t *testing.T) {
	free := make(chan struct{})
	url, _ := server(t, func(http.ResponseWriter, asked) { <-free })
	defer close(free)
	e := embedder(t, Config{Kind: Ollama, URL: url})
	ctx, cancel := contextThatEnds(t)
	_, err := e.Embed(ctx, []string{"a"})
	cancel()
	if _, later := isLater(err); later || err == nil || e.LastError() != nil {
		t.Errorf("got %v, last error %v", err, e.LastError())
	}
}

// contextThatEnds ends by cancelling while a request is on its way.
func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	return ctx, cancel
}
