package web_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"remanence/internal/web"
)

// manifest is what the bundler wrote beside dist.
func manifest(t *testing.T) (m struct {
	Source string
	First  []string
},
) {
	t.Helper()
	raw, err := os.ReadFile("dist.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDistIsBuiltFromThisSource(t *testing.T) {
	sum := sha256.New()
	for _, top := range []string{"build", "src", "vendor"} {
		walk(t, top, func(name string, text []byte) {
			fmt.Fprintf(sum, "%s %d\n", name, len(text))
			sum.Write(text)
		})
	}
	if got, want := hex.EncodeToString(sum.Sum(nil)), manifest(t).Source; got != want {
		t.Errorf("the source is %s, dist was built from %s: run make web", got, want)
	}
}

func TestVendoredFilesAreAsPublished(t *testing.T) {
	list, err := os.ReadFile("vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(list)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("line %q has no name", line)
		}
		want["vendor/"+name] = sum
	}
	walk(t, "vendor", func(name string, text []byte) {
		if name == "vendor/SHA256SUMS" || name == "vendor/README.md" {
			return
		}
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:]); got != want[name] {
			t.Errorf("%s has the hash %s, want %q", name, got, want[name])
		}
		delete(want, name)
	})
	for name := range want {
		t.Errorf("%s is in the list and not there", name)
	}
}

// The budgets: bytes over the wire if it were compressed.
const (
	firstPage = 60 << 10
	allPages  = 120 << 10
)

func TestTheViewerStaysSmall(t *testing.T) {
	sizes, all := map[string]int{}, 0
	walk(t, "dist", func(name string, text []byte) {
		n := compressed(t, text)
		sizes[strings.TrimPrefix(name, "dist/")] = n
		all += n
	})
	first := 0
	for _, name := range manifest(t).First {
		if sizes[name] == 0 {
			t.Errorf("%s is loaded first and is not there", name)
		}
		first += sizes[name]
	}
	t.Logf("compressed: first page %d bytes, all %d", first, all)
	if first == 0 || first > firstPage {
		t.Errorf("the first page takes %d bytes compressed, want at most %d", first, firstPage)
	}
	if all > allPages {
		t.Errorf("all pages take %d bytes compressed, want at most %d", all, allPages)
	}
}

func TestThePackedFilesAreThoseOfDist(t *testing.T) {
	raw, err := os.ReadFile("dist.gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	packed := map[string]string{}
	if err := json.NewDecoder(r).Decode(&packed); err != nil {
		t.Fatal(err)
	}
	there := 0
	walk(t, "dist", func(name string, text []byte) {
		there++
		if packed[strings.TrimPrefix(name, "dist/")] != string(text) {
			t.Errorf("%s is packed with another content: run make web", name)
		}
	})
	if there != len(packed) || there == 0 {
		t.Errorf("%d files are packed, want %d", len(packed), there)
	}
}

// markup is what a strict policy would refuse, or what would let a text act.
var markup = regexp.MustCompile(`\binnerHTML\b|\bouterHTML\b|dangerouslySetInnerHTML|insertAdjacentHTML|\beval\(|` +
	`new Function\(|document\.write|https?://`)

func TestSourceHasNoWayToTurnTextIntoMarkup(t *testing.T) {
	allowed := map[string]string{
		"src/icon.svg": "http://www.w3.org/2000/svg", // a namespace, never fetched
	}
	walk(t, "src", func(name string, text []byte) {
		for _, m := range markup.FindAllIndex(text, -1) {
			if a := allowed[name]; a != "" && bytes.HasPrefix(text[m[0]:], []byte(a)) {
				continue
			}
			t.Errorf("%s: %q", name, text[m[0]:min(m[1]+20, len(text))])
		}
	})
}

func TestHandlerServesThePageAndItsFiles(t *testing.T) {
	page, err := os.ReadFile("dist/index.html")
	if err != nil {
		t.Fatal(err)
	}
	asset := regexp.MustCompile(`/assets/app-[A-Z0-9]+\.js`).FindString(string(page))
	if asset == "" {
		t.Fatalf("the page names no script: %s", page)
	}
	for _, tt := range []struct {
		method, path string
		status       int
		kind, cache  string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8", "no-store"},
		{"GET", "/m/m_7k2q", 200, "text/html; charset=utf-8", "no-store"},
		{"GET", "/index.html", 200, "text/html; charset=utf-8", "no-store"},
		{"GET", "/../../etc/passwd", 200, "text/html; charset=utf-8", "no-store"},
		{"HEAD", "/search", 200, "text/html; charset=utf-8", "no-store"},
		{"GET", asset, 200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{"GET", "/assets/", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/assets", 200, "text/html; charset=utf-8", "no-store"},
		{"GET", "/assets/none.js", 404, "text/plain; charset=utf-8", ""},
		{"GET", "/assets/../index.html", 404, "text/plain; charset=utf-8", ""},
		{"POST", "/", 405, "text/plain; charset=utf-8", ""},
		{"DELETE", asset, 405, "text/plain; charset=utf-8", ""},
	} {
		rec := httptest.NewRecorder()
		r := httptest.NewRequest(tt.method, "/", http.NoBody)
		r.URL.Path = tt.path
		web.Handler().ServeHTTP(rec, r)
		h := rec.Header()
		if rec.Code != tt.status || h.Get("Content-Type") != tt.kind || h.Get("Cache-Control") != tt.cache {
			t.Errorf("%s %s: got %d %q %q, want %d %q %q", tt.method, tt.path, rec.Code, h.Get("Content-Type"),
				h.Get("Cache-Control"), tt.status, tt.kind, tt.cache)
		}
		if tt.kind[:9] == "text/html" && tt.method == "GET" && !bytes.Equal(rec.Body.Bytes(), page) {
			t.Errorf("%s %s: the body is not the page", tt.method, tt.path)
		}
	}
}

// walk calls f with each file below dir, its name with slashes, in order.
func walk(t *testing.T, dir string, f func(name string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		if err == nil {
			f(filepath.ToSlash(p), text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func compressed(t *testing.T, text []byte) int {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
