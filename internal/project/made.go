package project

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/fsx"
)

const (
	maxWalked = 20_000 // files and folders
	maxRules  = 2000   // of all folders together: each file is held to every rule of the folders above it
)

// errEnough ends a walk.
var errEnough = errors.New("enough")

// made lists files that git does not know and that were written since a time,
// most of them at most, but for what is ignored: by exclude, by .gitignore, or
// because it is a repository of its own.
func made(root *os.Root, known map[string]bool, exclude string, since time.Time, most int) (out []string) {
	rules, left, walked := ignored{}, maxRules, 0
	add := func(folder, text string) {
		more := rulesOf(text)
		more = more[:min(len(more), left)]
		rules[folder], left = append(rules[folder], more...), left-len(more)
	}
	add("", exclude)
	_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if walked++; walked > maxWalked || len(out) >= most {
			return errEnough
		}
		if err != nil {
			return fs.SkipDir // it cannot be listed
		}
		if d.IsDir() {
			if name != "." && (d.Name() == ".git" || rules.hit(name, true) || isRepository(root, name)) {
				return fs.SkipDir
			}
			folder := name
			if name == "." {
				folder = ""
			}
			add(folder, shortText(openPlain(root, filepath.Join(filepath.FromSlash(name), ".gitignore"), fsx.Options{})))
			return nil
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() && !info.ModTime().Before(since) && !known[name] && !rules.hit(name, false) {
			out = append(out, name)
		}
		return nil
	})
	return out
}

func isRepository(root *os.Root, dir string) bool {
	_, err := root.Lstat(filepath.Join(filepath.FromSlash(dir), ".git"))
	return err == nil
}

// shortText is the text of a file; "" if it could not be opened, or is too large.
func shortText(f *os.File, err error) string {
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := fsx.ReadAll(f, maxIgnore)
	if err != nil {
		return ""
	}
	return string(b)
}

const maxIgnore = 256 << 10 // bytes of a file of rules

// ignored are the rules of what is not to be known, by the folder they hold for:
// "" for the root, else its name.
type ignored map[string][]rule

// rule is a line of a .gitignore.
type rule struct {
	parts    []string // of the pattern; "**" stands for any number
	anywhere bool     // in whatever folder below
	folder   bool     // it holds for folders only
	not      bool     // it takes an earlier one back
}

func rulesOf(text string) (out []rule) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var r rule
		line, r.not = strings.CutPrefix(line, "!")
		line, r.folder = strings.CutSuffix(line, "/")
		r.anywhere = !strings.Contains(line, "/")
		r.parts = strings.Split(strings.TrimPrefix(line, "/"), "/")
		out = append(out, r)
	}
	return out
}

// hit reports whether a file or folder is ignored: what the last rule says that
// fits it, those of deeper folders after those above.
func (g ignored) hit(name string, folder bool) bool {
	hit := false
	parts := strings.Split(name, "/")
	for i := range parts {
		for _, r := range g[strings.Join(parts[:i], "/")] {
			if r.fits(parts[i:], folder) {
				hit = !r.not
			}
		}
	}
	return hit
}

func (r rule) fits(name []string, folder bool) bool {
	if r.folder && !folder {
		return false
	}
	if r.anywhere {
		name = name[len(name)-1:]
	}
	return matches(r.parts, name)
}

// matches reports whether the parts of a name fit those of a pattern. Where one does
// not, only the last "**" is made to take more: what the earlier ones took will do.
func matches(pattern, name []string) bool {
	last, taken := -1, 0 // the last "**", and where what comes after it begins
	for p, n := 0, 0; p < len(pattern) || n < len(name); {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			last, taken = p, n
			p++
		case p < len(pattern) && n < len(name) && partFits(pattern[p], name[n]):
			p, n = p+1, n+1
		case last >= 0 && taken < len(name):
			taken++
			p, n = last+1, taken
		default:
			return false
		}
	}
	return true
}

func partFits(pattern, part string) bool {
	ok, err := path.Match(pattern, part)
	return err == nil && ok
}
