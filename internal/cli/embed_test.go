package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/setup"
	"remanence/internal/views"
)

// ollama is a server that has a model of three numbers, and counts who asks.
func ollama(t *testing.T) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var q struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&q)
		vs := make([]string, len(q.Input))
		for i := range vs {
			vs[i] = "[1,2,3]"
		}
		fmt.Fprintf(w, `{"embeddings":[%s]}`, strings.Join(vs, ","))
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func (p *machine) embedding(url, more string) {
	p.configure(fmt.Sprintf("[embed]\nprovider = \"ollama\"\nurl = %q\n%s", url, more))
}

func TestNoServerIsUsedWithoutAProvider(t *testing.T) {
	url, asked := ollama(t)
	p := newMachine(t)
	p.configure(fmt.Sprintf("[embed]\nurl = %q\n", url))
	p.remember("the keeper counts herons")
	p.store(func(h *daemon.Daemon) {
		h.EmbedAll(t.Context())
		if _, err := h.Engine.Curate.Add(t.Context(), curate.AddRequest{Text: "a fact"}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Engine.Recall.Search(t.Context(), recall.SearchRequest{Query: mem.Query{Text: "herons"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Reindex(t.Context(), api.Nothing{}); err != nil {
			t.Fatal(err)
		}
		o, err := h.Status(t.Context(), mem.ProjectRef{})
		if err != nil || o.Embedding != nil || len(jobsOf(t, h, event.JobEmbed)) != 0 {
			t.Errorf("status says %+v, %d jobs, %v", o.Embedding, o.Stats.Jobs, err)
		}
	})
	for _, c := range p.checks().Examine(t.Context()) {
		if c.ID == "embedding" {
			t.Errorf("doctor looks at embeddings: %+v", c)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("asked %d times, want never", n)
	}
}

func TestStatusAndDoctorReportTheServer(t *testing.T) {
	url, asked := ollama(t)
	p := newMachine(t)
	p.embedding(url, "")
	p.remember("the keeper counts herons")
	p.store(func(h *daemon.Daemon) {
		o, err := h.Status(t.Context(), mem.ProjectRef{})
		if err != nil || o.Embedding == nil ||
			*o.Embedding != (views.Embedding{Provider: "ollama", Model: "nomic-embed-text", URL: url}) {
			t.Errorf("status says %+v, %v", o.Embedding, err)
		}
		if asked.Load() != 0 {
			t.Error("status asks the server")
		}
		h.EmbedAll(t.Context())
		work(t, h)
		if o, _ = h.Status(t.Context(), mem.ProjectRef{}); o.Embedding.Vectors != 1 {
			t.Errorf("%d vectors, want 1", o.Embedding.Vectors)
		}
	})
	checks := p.checks().Examine(t.Context())
	i := slices.IndexFunc(checks, func(c doctor.Check) bool { return c.ID == "embedding" })
	if i < 0 || checks[i].State != setup.OK || !strings.Contains(checks[i].What, "3 numbers") ||
		!strings.Contains(checks[i].What, "1 memory") {
		t.Errorf("doctor says %+v", checks)
	}
}

// work does the jobs that wait.
func work(t *testing.T, h *daemon.Daemon) {
	t.Helper()
	for {
		jobs, err := h.Store.Lease(t.Context(), mem.JobKinds{}, h.Sys.Now(), 1e9, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(jobs) == 0 {
			return
		}
		b, err := h.Work(t.Context(), jobs[0])
		if err != nil {
			t.Fatal(err)
		}
		b.FinishedJobs = append(b.FinishedJobs, jobs[0].ID)
		if _, err := h.Store.Apply(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReindexMakesVectorsAnew(t *testing.T) {
	url, asked := ollama(t)
	p := newMachine(t)
	p.embedding(url, "")
	p.remember("the keeper counts herons")
	p.store(func(h *daemon.Daemon) {
		h.EmbedAll(t.Context())
		work(t, h)
		if n, err := h.Reindex(t.Context(), api.Nothing{}); err != nil || n.Memories != 1 {
			t.Fatalf("%+v, %v", n, err)
		}
		if n, err := h.Store.CountVectors(t.Context(), "nomic-embed-text"); n != 0 || err != nil {
			t.Errorf("%d vectors after a reindex, %v", n, err)
		}
		work(t, h)
		if n, err := h.Store.CountVectors(t.Context(), "nomic-embed-text"); n != 1 || err != nil || asked.Load() != 2 {
			t.Errorf("%d vectors after %d requests, %v", n, asked.Load(), err)
		}
	})
}

func TestAChangeOfTheModelCountsAtOnce(t *testing.T) {
	url, _ := ollama(t)
	p := newMachine(t)
	p.remember("the keeper counts herons")
	p.store(func(h *daemon.Daemon) {
		h.Config.OnChange = h.EmbedIfChanged
		h.EmbedAll(t.Context())
		jobs := func() int {
			st, err := h.Store.Stats(t.Context(), "", h.Sys.Now())
			if err != nil {
				t.Fatal(err)
			}
			return st.Jobs
		}
		if n := jobs(); n != 0 {
			t.Errorf("%d jobs wait, want 0: it is off", n)
		}
		p.embedding(url, "")
		if h.Embedder() == nil || jobs() != 1 {
			t.Errorf("switched on: embedder %v, %d jobs", h.Embedder(), jobs())
		}
		work(t, h)
		p.embedding(url, "model = \"another\"\n")
		if h.Embedder().Model() != "another" || jobs() != 1 {
			t.Errorf("another model: %s, %d jobs", h.Embedder().Model(), jobs())
		}
		work(t, h)
		if n, _ := h.Store.CountVectors(t.Context(), "another"); n != 1 {
			t.Errorf("%d vectors of the new model, want 1", n)
		}
		p.configure("profile = \"lean\"\n")
		if h.Embedder() != nil || h.EngineEmbedder() != nil {
			t.Error("switched off, and it is still there")
		}
	})
}

func TestWhatIsWrongWithTheServersSettingsIsSaid(t *testing.T) {
	for name, c := range map[string]struct{ toml, says string }{
		"another machine":   {"url = \"https://api.example.com/v1\"", "embed.allow_remote"},
		"a key in the open": {"url = \"http://gpu.lan\"\nallow_remote = true\nkey_env = \"KEY\"", "https"},
		"no address":        {"url = \"localhost\"", "embed.url"},
		"a password":        {"url = \"http://me:hunter2@localhost\"", "embed.url"},
		"the key itself":    {"key_env = \"sk-abc-def\"", "embed.key_env"},
		"too many numbers":  {"dims = 100000", "embed.dims"},
		"no model":          {"model = \"\"", "no model"},
		"another provider":  {"provider = \"openapi\"", "embed.provider"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newMachine(t)
			toml := "[embed]\n" + c.toml + "\n"
			if !strings.Contains(toml, "provider") {
				toml += "provider = \"openai\"\n"
			}
			p.configure(toml)
			cfg, err := config.LoadConfig(p.Paths.Config, p.Sys.Getenv)
			if err != nil || len(cfg.Warnings) != 1 || !strings.Contains(cfg.Warnings[0], c.says) {
				t.Errorf("warnings are %q, %v, want one about %s", cfg.Warnings, err, c.says)
			}
			if strings.Contains(strings.Join(cfg.Warnings, ""), "hunter2") {
				t.Errorf("the warning holds the password: %q", cfg.Warnings)
			}
		})
	}
}

func TestAServerElsewhereIsAskedOnlyIfThatIsAllowed(t *testing.T) {
	p := newMachine(t)
	p.configure("[embed]\nprovider = \"openai\"\nurl = \"https://api.example.com/v1\"\n")
	p.store(func(h *daemon.Daemon) {
		if e := h.Embedder(); e != nil {
			t.Errorf("%s would be asked", e.Model())
		}
		if now := h.EmbeddingStatus(t.Context()); now == nil || !strings.Contains(now.Error, "not on this machine") {
			t.Errorf("status says %+v", now)
		}
	})
	p.configure("[embed]\nprovider = \"openai\"\nurl = \"https://api.example.com/v1\"\nallow_remote = true\n")
	p.store(func(h *daemon.Daemon) {
		if h.Embedder() == nil {
			t.Error("no server would be used, although it is allowed")
		}
	})
}

func TestFloatsAreSettings(t *testing.T) {
	for text, want := range map[string]float64{"recall.vector_floor = 0.7": 0.7, "recall.vector_floor = 1": 1, "": 0.5} {
		p := newMachine(t)
		p.configure(text + "\n")
		cfg, err := config.LoadConfig(p.Paths.Config, p.Sys.Getenv)
		if got := cfg.Settings().VectorFloor; err != nil || got != want || len(cfg.Warnings) > 0 {
			t.Errorf("%q: %v, %q, %v, want %v", text, got, cfg.Warnings, err, want)
		}
	}
	p := newMachine(t)
	p.configure("recall.vector_floor = 1.5\n")
	if cfg, _ := config.LoadConfig(p.Paths.Config, p.Sys.Getenv); len(cfg.Warnings) != 1 {
		t.Errorf("warnings %q, want one", cfg.Warnings)
	}
	o, err := FindOption("recall.vector_floor")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := o.Parse("0.25"); err != nil || v != 0.25 {
		t.Errorf("got %v, %v", v, err)
	}
	if _, err := o.Parse("near"); err == nil {
		t.Error("a word passes for a number")
	}
}

// jobsOf are the jobs of a kind, waiting ones and those that were given up.
func jobsOf(t *testing.T, h *daemon.Daemon, kind string) []mem.Job {
	t.Helper()
	js, err := h.Store.Jobs(t.Context(), kind, 100)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
