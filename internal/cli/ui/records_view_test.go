package ui

import (
	"html"
	"testing"

	"remanence/internal/mem"
)

func TestAHiddenPathIsWrittenAsTheTextAroundIt(t *testing.T) {
	projects := []mem.Project{{Name: "none"}, {Root: "/home/o'neil/shop", Name: "<b>shop & co"}}
	const page = "<p>/home/o&#39;neil/shop and /home/o&#39;neil/a</p>"
	if got, want := PathHider(projects, "/home/o'neil", html.EscapeString)(page),
		"<p>&lt;b&gt;shop &amp; co and ~/a</p>"; got != want {
		t.Errorf("in a page %q, want %q", got, want)
	}
	if got, want := PathHider(projects, "/home/o'neil", nil)("/home/o'neil/shop/a in /home/o'neil"),
		"<b>shop & co/a in ~"; got != want {
		t.Errorf("in a text %q, want %q", got, want)
	}
}
