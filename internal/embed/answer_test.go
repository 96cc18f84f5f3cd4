package embed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"remanence/internal/egress"
)

func TestEveryVectorHasLengthOne(t *testing.T) {
	url, _ := server(t, says(`{"embeddings":[[3e200,4e200],[3e-300,0],[-1,1]]}`))
	vs, err := embedder(t, Config{Kind: Ollama, URL: url}).Embed(t.Context(), []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("the length of %v is %v, want 1", vs[i], math.Sqrt(sum))
		}
	}
}

func TestAnAnswerThatIsNotExactlyRightIsNone(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   error
	}{
		"too few":          {`{"embeddings":[[1,2]]}`, errCount},
		"too many":         {`{"embeddings":[[1,2],[1,2],[1,2]]}`, errCount},
		"none":             {`{}`, errCount},
		"of two lengths":   {`{"embeddings":[[1,2],[1,2,3]]}`, errDimensions},
		"empty ones":       {`{"embeddings":[[],[]]}`, errDimensions},
		"a null in it":     {`{"embeddings":[[1,2],[1,null]]}`, errNumber},
		"a null for one":   {`{"embeddings":[[1,2],null]}`, errDimensions},
		"NaN":              {`{"embeddings":[[1,2],[1,NaN]]}`, errAnswer},
		"too large":        {`{"embeddings":[[1,2],[1,1e999]]}`, errAnswer},
		"zeros":            {`{"embeddings":[[1,2],[0,0]]}`, errZero},
		"words":            {`{"embeddings":[["a","b"],["c","d"]]}`, errAnswer},
		"base64":           {`{"embeddings":["AACAPw==","AACAPw=="]}`, errAnswer},
		"no JSON":          {`<html>hello</html>`, errAnswer},
		"another document": {`[1,2]`, errAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := server(t, says(c.answer))
			vs, err := embedder(t, Config{Kind: Ollama, URL: url}).Embed(t.Context(), []string{"a", "b"})
			if !errors.Is(err, c.want) || vs != nil {
				t.Errorf("got %v, %v, want %v", vs, err, c.want)
			}
			if _, later := isLater(err); later {
				t.Errorf("%v: asking again would not help", err)
			}
		})
	}
}

func TestIndexesHaveToBeComplete(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		ok   bool
	}{
		"in order":        {`[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}]`, true},
		"out of order":    {`[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]`, true},
		"none given":      {`[{"embedding":[1,0]},{"embedding":[0,1]}]`, true},
		"one given twice": {`[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[0,1]}]`, false},
		"one left out":    {`[{"index":0,"embedding":[1,0]},{"index":2,"embedding":[0,1]}]`, false},
		"one without":     {`[{"index":0,"embedding":[1,0]},{"embedding":[0,1]}]`, false},
		"negative":        {`[{"index":-1,"embedding":[1,0]},{"index":0,"embedding":[0,1]}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := server(t, says(`{"data":`+c.data+`}`))
			vs, err := embedder(t, Config{Kind: OpenAI, URL: url}).Embed(t.Context(), []string{"a", "b"})
			if (err == nil) != c.ok {
				t.Fatalf("got %v, %v", vs, err)
			}
			if c.ok && (vs[0][0] != 1 || vs[1][1] != 1) {
				t.Errorf("got %v, which is out of order", vs)
			}
		})
	}
}

func TestDimensionsStayWhatTheyWere(t *testing.T) {
	answers := []string{`{"embeddings":[[1,2]]}`, `{"embeddings":[[1,2,3]]}`, `{"embeddings":[[2,1]]}`}
	url, _ := server(t, func(w http.ResponseWriter, _ asked) {
		fmt.Fprint(w, answers[0])
		answers = answers[1:]
	})
	e := embedder(t, Config{Kind: Ollama, URL: url})
	for i, want := range []error{nil, errDimensions, nil} {
		if _, err := e.Embed(t.Context(), []string{"a"}); !errors.Is(err, want) {
			t.Errorf("answer %d: %v, want %v", i, err, want)
		}
	}
}

func TestConfiguredDimensionsAreRequestedAndRequired(t *testing.T) {
	url, seen := server(t, says(`{"data":[{"index":0,"embedding":[1,2]}]}`))
	e := embedder(t, Config{Kind: OpenAI, URL: url, Dimensions: 256})
	if _, err := e.Embed(t.Context(), []string{"a"}); !errors.Is(err, errDimensions) {
		t.Errorf("got %v, want %v", err, errDimensions)
	}
	if (*seen)[0].Dimensions != 256 {
		t.Errorf("asked for %d dimensions, want 256", (*seen)[0].Dimensions)
	}
	if e.Model() != "tiny@256" {
		t.Errorf("vectors are of %q, want tiny@256: others of tiny are not to be compared with them", e.Model())
	}
}

func TestAnAnswerWithoutEndIsNotReadToItsEnd(t *testing.T) {
	sent := 0
	url, _ := server(t, func(w http.ResponseWriter, _ asked) {
		fmt.Fprint(w, `{"embeddings":[[1`)
		for chunk := strings.Repeat(",1", 1<<19); sent < 20*maxAnswer; sent += len(chunk) {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	})
	if _, err := embedder(t, Config{Kind: Ollama, URL: url}).Embed(t.Context(), []string{"a"}); !errors.Is(err,
		egress.ErrLong) {
		t.Errorf("got %v, want %v", err, egress.ErrLong)
	}
}

func FuzzAnAnswerIsRightOrNone(f *testing.F) {
	for _, s := range []string{
		`{"embeddings":[[1,2],[3,4]]}`,
		`{"data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":[1e-300,2]}]}`, `{"embeddings":[[1,null],[]]}`,
		`{"data":[{"embedding":[1e308,1e308]},{"embedding":[0,-0]}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, kind := range []string{Ollama, OpenAI} {
			e, err := New(Config{Kind: kind, URL: "http://localhost", Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			raw, err := e.read(bytes.NewReader(answer))
			if err != nil {
				continue
			}
			vs, err := e.checked(raw, 2)
			if err != nil {
				if vs != nil || e.dims != 0 {
					t.Fatalf("%v and yet %v of %d dimensions", err, vs, e.dims)
				}
				continue
			}
			for _, v := range vs {
				sum := 0.0
				for _, x := range v {
					sum += float64(x) * float64(x)
				}
				if len(vs) != 2 || len(v) != len(vs[0]) || math.Abs(sum-1) > 1e-3 {
					t.Fatalf("%q gives %v", answer, vs)
				}
			}
		}
	})
}
