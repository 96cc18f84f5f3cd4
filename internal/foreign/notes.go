package foreign

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/vault"
	"remanence/internal/when"
)

// Bounds of a folder of notes.
const (
	maxNote  = 1 << 20 // bytes of one
	maxNotes = 20_000
)

// note is one Markdown file.
type note struct {
	file    string // relative to the folder
	text    string
	at      time.Time // of the last change
	project string    // of the folder; "" if it is of none
	user    bool      // holds in all projects unless it names some
}

// readNotes reads the Markdown files of a folder. Links and hidden folders are not followed.
func readNotes(dir string) (api.ExportedMemories, error) {
	out := empty()
	root := os.DirFS(dir)
	isVault := exists(root, "memory") && (exists(root, "IDENTITY.md") || exists(root, "USER.md"))
	seen := 0
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && file == ".":
			return err
		case err != nil:
			out.Drop("folder or file", "it cannot be opened", 1)
			return nil
		case d.IsDir() && file != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !d.Type().IsRegular() || !strings.EqualFold(path.Ext(file), ".md"):
			return nil
		}
		if seen++; seen > maxNotes {
			return fmt.Errorf("more than %d notes; import its folders one after another", maxNotes)
		}
		switch name := d.Name(); {
		case name == "CLAUDE.md", name == "AGENTS.md", name == "GEMINI.md":
			out.Drop("file "+name, "agents read it themselves", 1)
			return nil
		case isVault && path.Dir(file) != "memory":
			out.Drop("page of the vault "+name, "only memories are taken over; vault.dir uses the vault whole", 1)
			return nil
		}
		n := note{file: file, user: isVault}
		if n.text, n.at, err = readNote(root, file); err != nil {
			out.Drop("file "+file, err.Error(), 1)
			return nil
		}
		n.project = claudeProject(&out, filepath.Join(dir, filepath.FromSlash(file)))
		addNote(&out, n)
		return nil
	})
	return out, err
}

func exists(root fs.FS, name string) bool {
	_, err := fs.Stat(root, name)
	return err == nil
}

func readNote(root fs.FS, file string) (string, time.Time, error) {
	f, err := root.Open(file)
	if err != nil {
		return "", time.Time{}, errors.New("it cannot be opened")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", time.Time{}, errors.New("it cannot be opened")
	}
	text, err := noteText(f)
	return text, info.ModTime(), err
}

// noteText reads the text of a note.
func noteText(in io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxNote+1))
	switch {
	case err != nil:
		return "", errors.New("it cannot be read")
	case len(b) > maxNote:
		return "", fmt.Errorf("it is larger than %d KB", maxNote>>10)
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		return "", errors.New("it is no text")
	}
	return string(b), nil
}

// readNoteFile reads a single note, whose content is in.
func readNoteFile(name string, in io.Reader) (api.ExportedMemories, error) {
	out := empty()
	text, err := noteText(in)
	if err != nil {
		return out, err
	}
	n := note{file: filepath.Base(name), text: text}
	if info, err := os.Stat(name); err == nil {
		n.at = info.ModTime()
	}
	if file, err := filepath.Abs(name); err == nil {
		n.project = claudeProject(&out, file)
	}
	addNote(&out, n)
	return out, nil
}

// claudeProject returns the name of the project that a file of Claude Code's memory is about, and notes its directory:
// those files are in a folder "memory" beside the transcripts, below a folder named after the directory.
func claudeProject(out *api.ExportedMemories, file string) string {
	parts := strings.Split(filepath.ToSlash(file), "/")
	at := len(parts) - 4 // the last folder of that name: one above it may have it, too
	if at < 1 || parts[at] != "projects" || parts[at-1] != ".claude" || parts[at+2] != "memory" {
		return ""
	}
	dir := directoryNamed("/", strings.TrimPrefix(parts[at+1], "-"))
	if dir == "" {
		return parts[at+1][strings.LastIndexByte(parts[at+1], '-')+1:]
	}
	if name := filepath.Base(dir); !slices.Contains(out.Dirs[name], dir) {
		out.Dirs[name] = append(out.Dirs[name], dir)
	}
	return filepath.Base(dir)
}

// directoryNamed returns the directory below another whose path has a name in which each character that is no letter
// or digit became a dash; "" if there is none.
func directoryNamed(below, name string) string {
	entries, err := os.ReadDir(below)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		rest, found := strings.CutPrefix(name, dashed(e.Name()))
		switch {
		case !found || !e.IsDir():
		case rest == "":
			return filepath.Join(below, e.Name())
		case rest[0] == '-':
			if dir := directoryNamed(filepath.Join(below, e.Name()), rest[1:]); dir != "" {
				return dir
			}
		}
	}
	return ""
}

func dashed(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
}

// addNote adds the memories of a note: one for each categorised observation, and one for each section of the rest, or
// a single one if the note describes itself.
func addNote(out *api.ExportedMemories, n note) {
	front := vault.ReadFront(n.text)
	get := func(keys ...string) string {
		for _, key := range keys {
			if s := front.Text(key); s != "" {
				return s
			}
		}
		return ""
	}
	if get("status") == string(mem.Forgotten) || get("type") == "index" {
		out.Drop("note", "it is an index, or was forgotten there", 1)
		return
	}
	name := get("title", "name")
	if name == "" {
		name = strings.TrimSuffix(path.Base(n.file), path.Ext(n.file))
	}
	kind := noteKind(cmp.Or(get("type"), front.Below("metadata").Text("type")))
	base := mem.Memory{Project: n.project, Kind: kind, Created: n.at}
	for _, tag := range front.List("tags") {
		base.Tags = append(base.Tags, strings.TrimPrefix(tag, "#"))
	}
	if at, ok := when.ParseStamp(get("created", "date"), time.UTC); ok {
		base.Created = at
	}
	if projects := front.List("projects"); len(projects) > 0 {
		base.Project = projects[0]
	} else if p := get("project"); p != "" {
		base.Project = p
	} else if n.user {
		base.Scope = mem.ScopeUser
	}
	rest, observations, related := observationsOf(front.Body())
	base.Concepts = append(mem.Strings{name}, related...)
	for _, o := range observations {
		m := base
		m.Title, m.Body, m.Kind = "", o.text, noteKind(o.category)
		m.Tags = append(slices.Clone(base.Tags), o.tags...)
		out.Memories = append(out.Memories, m)
	}
	if about := get("description"); about != "" {
		base.Title, base.Body = about, strings.TrimSpace(withoutHeading(rest, name))
		out.Memories = append(out.Memories, base)
		return
	}
	for _, s := range sections(rest, name) {
		m := base
		m.Title, m.Body = s.heading, s.text
		out.Memories = append(out.Memories, m)
	}
}

// noteKind returns the kind for a type or a category of other tools.
func noteKind(s string) mem.Kind {
	switch s := strings.ToLower(strings.TrimSpace(s)); s {
	case "note", "", "project", "reference", "idea", "status", "memory":
		return mem.Fact
	case "user", "preference", "profile":
		return mem.Preference
	case "feedback", "convention", "rule", "guideline", "practice", "requirement", "constraint", "principle":
		return mem.Convention
	case "technique", "method", "step", "how-to":
		return mem.Howto
	case "issue", "risk", "bug", "problem", "warning", "limitation":
		return mem.Gotcha
	case "design", "architecture", "choice":
		return mem.Decision
	case "task", "next", "question", "todo":
		return mem.Todo
	default:
		return mem.Kind(s)
	}
}

// observation is a line of the form "- [category] text #tag".
type observation struct {
	category, text string
	tags           []string
}

// patterns are what the lines of a note are.
type patterns struct {
	category *regexp.Regexp
	relation *regexp.Regexp // at most three words that name the relation, a link, and a remark in brackets
	link     *regexp.Regexp // to another note, anywhere in a line
	tag      *regexp.Regexp
	file     *regexp.Regexp // a line that only links to a file
}

var (
	patternsOnce sync.Once
	patternsMade patterns
)

// notePatterns returns the patterns. They are compiled at first use: a start of the program that imports nothing needs
// none.
func notePatterns() patterns {
	patternsOnce.Do(func() {
		patternsMade = patterns{
			category: regexp.MustCompile(`^\s*[-*] \[([^\[\]()]{2,40})\]\s+(.+)$`),
			relation: regexp.MustCompile(`^\s*[-*] (?:[\p{L}\p{N}_-]+:? +){0,3}\[\[[^\[\]]+\]\]\s*(?:\([^()]*\))?\s*$`),
			link:     regexp.MustCompile(`\[\[([^\[\]]+)\]\]`),
			tag:      regexp.MustCompile(`(?:^|\s)#([\p{L}\p{N}_/-]+)`),
			file:     regexp.MustCompile(`^\s*[-*] \[[^\]]+\]\([^)]+\.md\)`),
		}
	})
	return patternsMade
}

// observationsOf takes categorised observations and relations to other notes out of a text. A list item that only
// mentions another note stays in it.
func observationsOf(body string) (rest string, found []observation, related []string) {
	var kept []string
	is, code := notePatterns(), false
	for line := range strings.SplitSeq(body, "\n") {
		code = code != strings.HasPrefix(strings.TrimSpace(line), "```")
		if m := is.category.FindStringSubmatch(line); m != nil && !code {
			o := observation{category: m[1], text: strings.TrimSpace(m[2])}
			for _, t := range is.tag.FindAllStringSubmatch(m[2], -1) {
				o.tags = append(o.tags, t[1])
			}
			found = append(found, o)
			continue
		}
		if listed := strings.TrimSpace(line); !code && (strings.HasPrefix(listed, "- ") || strings.HasPrefix(listed, "* ")) {
			for _, m := range is.link.FindAllStringSubmatch(line, -1) {
				related = append(related, chars.Clip(m[1], 80))
			}
			if is.relation.MatchString(line) {
				continue
			}
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n"), found, related
}

// section is a heading and the text below it.
type section struct{ heading, text string }

// sections splits a text at its headings of level 1 and 2. Text before them has the name of the note. Sections without
// a text are left out, and lines that only link to other files.
func sections(text, name string) (out []section) {
	title := name
	var lines strings.Builder
	end := func() {
		if s := strings.TrimSpace(lines.String()); s != "" {
			out = append(out, section{title, s})
		}
		lines.Reset()
	}
	is, code := notePatterns(), false
	for line := range strings.SplitSeq(text, "\n") {
		code = code != strings.HasPrefix(strings.TrimSpace(line), "```")
		heading, isHeading := strings.CutPrefix(strings.TrimPrefix(line, "#"), "# ")
		if !isHeading {
			heading, isHeading = strings.CutPrefix(line, "# ")
		}
		switch {
		case isHeading && !code:
			end()
			if title = name; strings.HasPrefix(line, "##") {
				title += ": " + strings.TrimSpace(heading)
			}
		case !is.file.MatchString(line):
			lines.WriteString(line + "\n")
		}
	}
	end()
	return out
}

// withoutHeading removes a first heading that repeats the name.
func withoutHeading(text, name string) string {
	rest, found := strings.CutPrefix(strings.TrimSpace(text), "# "+name)
	if !found {
		return text
	}
	return rest
}
