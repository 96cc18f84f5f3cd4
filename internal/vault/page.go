package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/vaultfile"
)

// maxTail is the number of bytes read at the end of the journal.
const maxTail = 64 << 10

// Pages reads the files that a briefing contains in full: IDENTITY.md, USER.md and the last lines of the journal.
// Unreadable ones are listed in Bad.
func (v *Vault) Pages(logLines int) (vaultfile.Pages, error) {
	p := vaultfile.Pages{Dir: v.Dir}
	root, err := v.open()
	if errors.Is(err, ErrNone) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	defer root.Close()
	for name, page := range map[string]*vaultfile.Page{identityFile: &p.Identity, userFile: &p.User} {
		*page = vaultfile.Page{File: name}
		b, _, err := readFile(root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			p.Bad = append(p.Bad, vaultfile.BadFile{File: name, Why: reason(err)})
		default:
			page.Text, page.Hash = pageText(string(b)), hashOf(b)
		}
	}
	if logLines <= 0 {
		return p, nil
	}
	p.Log, err = logTail(root, logLines)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.Bad = append(p.Bad, vaultfile.BadFile{File: logFile, Why: reason(err)})
	}
	return p, nil
}

// pageText is a page without its frontmatter and comments.
func pageText(text string) string {
	f := parseFront(text)
	text = f.text[f.body:]
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(text, "<!--")
		_, after, closed := strings.Cut(rest, "-->")
		if !open || !closed {
			b.WriteString(text)
			return strings.TrimSpace(b.String())
		}
		b.WriteString(before)
		text = after
	}
}

// logTail are the last lines of the journal that hold anything, oldest first. It
// may be larger than other files.
func logTail(root *os.Root, lines int) ([]string, error) {
	f, info, err := openFile(root, logFile, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := max(0, info.Size()-maxTail)
	b, err := io.ReadAll(io.NewSectionReader(f, from, maxTail))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	all := strings.Split(string(b), "\n")
	if from > 0 {
		all = all[1:] // it may be half of one
	}
	all = slices.DeleteFunc(all, func(l string) bool { return strings.TrimSpace(l) == "" })
	return all[max(0, len(all)-lines):], nil
}

// Holding lists the files that contain one of some folded lines: they may repeat erased text.
func (v *Vault) Holding(lines []string) ([]string, error) {
	root, err := v.open()
	if errors.Is(err, ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []string
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") {
			return nil //nolint:nilerr // what cannot be listed cannot be named
		}
		if seen++; seen > maxFiles {
			return fs.SkipAll
		}
		b, _, err := readFile(root, name)
		if err != nil {
			return nil //nolint:nilerr // likewise
		}
		text := strings.ToLower(chars.Fold(string(b)))
		if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(text, strings.ToLower(l)) }) {
			out = append(out, name)
		}
		return nil
	})
	return out, err
}
