// Package web is the viewer: a page for the browser, bundled ahead of time and
// embedded. It holds no data and asks the worker's API for all that it shows; it
// knows neither that API nor who may ask it.
package web

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
)

// dist is made by `make web` from src and vendor.
//
//go:embed all:dist
var dist embed.FS

// Handler serves the viewer's files: what lies below /assets/ under names that
// change with their content, and the page itself at every other path, since the
// page finds its own way from there. It answers GET and HEAD alone.
func Handler() http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only a malformed path fails
	}
	page, err := fs.ReadFile(files, "index.html")
	if err != nil {
		panic(err) // a binary without its page is built wrong
	}
	assets := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		case !strings.HasPrefix(r.URL.Path, "/assets/"):
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(page)
		case !there(files, r.URL.Path):
			http.NotFound(w, r)
		default:
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			assets.ServeHTTP(w, r)
		}
	})
}

// there reports whether an asset is a file: directories are not listed.
func there(files fs.FS, name string) bool {
	info, err := fs.Stat(files, strings.TrimPrefix(name, "/"))
	return err == nil && info.Mode().IsRegular()
}
