// Package web is the viewer: a page for the browser, bundled ahead of time and
// embedded. It holds no data and asks the worker's API for all that it shows; it
// knows neither that API nor who may ask it.
package web

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the viewer's files
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"
)

// packed holds the files of dist by their names, as a compressed JSON object. It is made by `make web` from src and
// vendor, and a third as large as the files.
//
//go:embed dist.gz
var packed []byte

// Handler serves the viewer's files: what lies below /assets/ under names that
// change with their content, and the page itself at every other path, since the
// page finds its own way from there. It answers GET and HEAD alone.
func Handler() http.Handler {
	files := sync.OnceValue(unpack) // they take memory once a page is opened
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		text, known := files()[name]
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		case !strings.HasPrefix(name, "assets/"):
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(files()["index.html"]))
		case !known:
			http.NotFound(w, r)
		default:
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			http.ServeContent(w, r, name, time.Time{}, strings.NewReader(text))
		}
	})
}

// unpack returns the files by their names.
func unpack() map[string]string {
	files := map[string]string{}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		err = json.NewDecoder(r).Decode(&files)
	}
	if err != nil {
		panic(err) // a binary without its page is built wrong
	}
	return files
}
