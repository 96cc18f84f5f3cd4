package embed

import (
	"errors"
	"testing"

	"remanence/internal/egress"
)

func TestNoRedirectIsFollowed(t *testing.T) {
	there, seen := server(t, inOllama)
	for _, code := range []int{301, 302, 303, 307, 308} {
		url, _ := server(t, status(code, "Location", there+"/api/embed"))
		_, err := embedder(t, Config{Kind: Ollama, URL: url}).Embed(t.Context(), []string{"a"})
		if !errors.Is(err, egress.ErrMoved) {
			t.Errorf("%d: %v, want %v", code, err, egress.ErrMoved)
		}
	}
	if len(*seen) > 0 {
		t.Errorf("the other server was sent %v", *seen)
	}
}

func TestKeyIsReadForEachRequestAndNotStored(t *testing.T) {
	url, seen := server(t, inOpenAI)
	key := "first"
	e := embedder(t, Config{Kind: OpenAI, URL: url, Key: func() string { return key }})
	for _, key = range []string{"first", "second", ""} {
		if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"Bearer first", "Bearer second", ""} {
		if got := (*seen)[i].key; got != want {
			t.Errorf("request %d has the key %q, want %q", i, got, want)
		}
	}
}

func TestWhatCannotBeConfigured(t *testing.T) {
	if _, err := New(Config{Kind: "none", URL: "http://localhost", Model: "m"}); !errors.Is(err, ErrKind) {
		t.Errorf("got %v, want %v", err, ErrKind)
	}
	if _, err := New(Config{Kind: Ollama, URL: "http://localhost"}); !errors.Is(err, ErrModel) {
		t.Errorf("got %v, want %v", err, ErrModel)
	}
}

func TestNoServerIsCalledBeforeTheFirstText(t *testing.T) {
	url, seen := server(t, inOllama)
	e := embedder(t, Config{Kind: Ollama, URL: url})
	vs, err := e.Embed(t.Context(), nil)
	if err != nil || len(vs) != 0 || len(*seen) != 0 || e.LastError() != nil {
		t.Errorf("got %v, %v after %d requests", vs, err, len(*seen))
	}
}

func TestForbiddenServerMakesNoEmbedder(t *testing.T) {
	if _, err := New(Config{Kind: Ollama, URL: "https://api.example.com", Model: "m"}); !errors.Is(err, egress.ErrRemote) {
		t.Errorf("got %v, want %v", err, egress.ErrRemote)
	}
}
