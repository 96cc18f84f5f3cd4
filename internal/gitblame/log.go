package gitblame

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/outcome"
	"remanence/internal/trailer"
)

// Bounds of a look at the log.
const (
	maxLog  = 2000 // commits
	logWait = 3 * time.Second
)

// Log returns the commits of a repository's branches since a time, newest first, with their files below a directory.
// Of some files it says which the repository ignores, and which differ from the commit that is checked out. Files are
// relative to the directory. A file that a commit renames has both names. It waits three seconds at most.
func Log(ctx context.Context, dir string, since time.Time, files []string) (h outcome.History, err error) {
	ctx, cancel := context.WithTimeout(ctx, logWait)
	defer cancel()
	out, err := trailer.Git(ctx, dir, "-c", "core.quotePath=false", "log", "--branches", "--remotes", "--tags", "HEAD",
		"--no-show-signature", "--no-renames", "--relative", "--name-only", "--format=%x1e%H %ct %s",
		"-n", strconv.Itoa(maxLog), "--since="+since.UTC().Format(time.RFC3339))
	if err != nil {
		return h, fmt.Errorf("commits of %s: %w", dir, err)
	}
	for entry := range strings.SplitSeq(string(out), "\x1e") {
		head, files, _ := strings.Cut(entry, "\n")
		id, rest, _ := strings.Cut(head, " ")
		at, subject, _ := strings.Cut(rest, " ")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil { // what stands before the first one
			continue
		}
		h.Commits = append(h.Commits, outcome.Logged{
			ID: id, At: time.Unix(seconds, 0).UTC(), Subject: subject, Files: strings.FieldsFunc(files, isNewline),
		})
	}
	if n := len(h.Commits); n == maxLog {
		h.From = h.Commits[n-1].At
	}
	for some := range slices.Chunk(files, mostNamed) {
		args := slices.Concat([]string{"-c", "core.quotePath=false", "check-ignore", "--"}, some)
		if out, err := trailer.Git(ctx, dir, args...); err == nil { // without one it ends with an error
			h.Ignored = append(h.Ignored, strings.FieldsFunc(string(out), isNewline)...)
		}
	}
	h.Changed, h.Compared = changed(ctx, dir, files)
	return h, nil
}

// changed returns which of some files differ from the commit that is checked out. ok is false if that is not known.
func changed(ctx context.Context, dir string, files []string) (out []string, ok bool) {
	for some := range slices.Chunk(files, mostNamed) {
		for _, args := range [][]string{
			{"-c", "core.quotePath=false", "--no-optional-locks", "diff", "--name-only", "--relative", "--no-renames", "HEAD"},
			{"-c", "core.quotePath=false", "ls-files", "--others"},
		} {
			found, err := trailer.Git(ctx, dir, slices.Concat(args, []string{"--"}, some)...)
			if err != nil {
				return nil, false
			}
			out = append(out, strings.FieldsFunc(string(found), isNewline)...)
		}
	}
	return out, true
}

// mostNamed is how many files one call of git names.
const mostNamed = 500

func isNewline(r rune) bool { return r == '\n' }
