// Package gitblame asks git who wrote the lines of a file, and which commits a repository has. It changes nothing in
// the repository. Start with Read and Log.
package gitblame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"remanence/internal/blame"
	"remanence/internal/trailer"
)

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 4 << 20

// Errors of Read.
var (
	ErrNoGit   = errors.New("git is not installed")
	ErrTooLong = errors.New("the file is too large")
	ErrBinary  = errors.New("the file is not text")
)

// File is a file with the origin of its lines.
type File struct {
	Top   string // of the repository; empty outside of one
	Lines []blame.Line
}

// Read returns the lines from a number to another, which count from 1; to 0 means the end. Outside of a repository, and
// for a file that git does not know, the lines have no commit. A file that does not exist, and ranges beyond its end,
// are errors.
func Read(ctx context.Context, file string, from, to int) (File, error) {
	info, err := os.Stat(file)
	if err != nil {
		return File{}, fmt.Errorf("read: %w", err)
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s: %w", file, ErrBinary)
	}
	if info.Size() > maxFile {
		return File{}, fmt.Errorf("%s: %w", file, ErrTooLong)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return File{}, fmt.Errorf("read: %w", err)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return File{}, fmt.Errorf("%s: %w", file, ErrBinary)
	}
	all := plain(data)
	if to == 0 || to > len(all) {
		to = len(all)
	}
	if len(all) == 0 && from == 1 {
		return File{}, nil
	}
	if from > to {
		return File{}, fmt.Errorf("%s: %w", file, RangeError{From: from, Lines: len(all)})
	}
	f := File{Lines: all[from-1 : to]}
	dir, name := filepath.Split(file)
	top, err := trailer.Git(ctx, dir, "rev-parse", "--show-toplevel")
	if errors.Is(err, trailer.ErrNoGit) {
		return File{}, ErrNoGit
	}
	if err != nil {
		return f, nil // no repository
	}
	f.Top = strings.TrimSpace(string(top))
	out, err := trailer.Git(ctx, dir, "blame", "--porcelain", "-M", "-L", fmt.Sprintf("%d,%d", from, to), "--", name)
	if err != nil {
		return f, nil // a file that git does not know
	}
	if lines := parse(out); len(lines) == len(f.Lines) {
		f.Lines = lines
		nameSessions(ctx, dir, lines)
	}
	return f, nil
}

// maxCommits is the number of commits whose trailers are read.
const maxCommits = 500

// nameSessions sets the sessions that the commits' last trailers name. Without an answer of git there are none.
func nameSessions(ctx context.Context, dir string, lines []blame.Line) {
	sessions := map[string]string{}
	args := []string{
		"log", "--no-walk=unsorted", "--format=%H %(trailers:key=" + trailer.Key + ",valueonly,separator=%x20)",
	}
	for _, l := range lines {
		if _, known := sessions[l.Commit]; !known && l.Commit != "" && len(sessions) < maxCommits {
			sessions[l.Commit] = ""
			args = append(args, l.Commit)
		}
	}
	if len(sessions) == 0 {
		return
	}
	out, err := trailer.Git(ctx, dir, args...)
	if err != nil {
		return
	}
	for row := range strings.Lines(string(out)) {
		if words := strings.Fields(row); len(words) > 1 {
			sessions[words[0]] = words[len(words)-1]
		}
	}
	for i, l := range lines {
		lines[i].Session = sessions[l.Commit]
	}
}

// Range splits FILE[:LINE[-LINE]]. Without lines, from is 1 and to is 0, the end. ok is false for lines that are none.
func Range(arg string) (file string, from, to int, ok bool) {
	at := strings.LastIndexByte(arg, ':')
	if at < 0 || arg[at+1:] == "" || strings.Trim(arg[at+1:], "0123456789-") != "" {
		return arg, 1, 0, true
	}
	first, last, ranged := strings.Cut(arg[at+1:], "-")
	from, err := strconv.Atoi(first)
	if to = from; err == nil && ranged {
		to, err = strconv.Atoi(last)
	}
	return arg[:at], from, to, err == nil && from > 0 && to >= from
}

// RangeError is the error of a range that begins behind the end of the file.
type RangeError struct{ From, Lines int }

func (e RangeError) Error() string {
	return fmt.Sprintf("line %d is behind the end: it has %d lines", e.From, e.Lines)
}

func plain(data []byte) []blame.Line {
	var out []blame.Line
	for text := range strings.Lines(string(data)) {
		out = append(out, blame.Line{Number: len(out) + 1, Text: strings.TrimRight(text, "\r\n")})
	}
	return out
}

// parse reads the porcelain form of git blame: a head with the commit and the numbers of a line, details of the commit
// where it occurs for the first time, and the text behind a tab.
func parse(out []byte) []blame.Line {
	known := map[string]*blame.Line{}
	var lines []blame.Line
	var now *blame.Line
	number := 0
	for row := range strings.Lines(string(out)) {
		row = strings.TrimRight(row, "\r\n")
		if text, ok := strings.CutPrefix(row, "\t"); ok && now != nil {
			line := *now
			line.Text, line.Number = text, number
			lines, now = append(lines, line), nil
			continue
		}
		key, value, _ := strings.Cut(row, " ")
		if now == nil {
			if known[key] == nil {
				known[key] = &blame.Line{Commit: key}
				if strings.Trim(key, "0") == "" {
					known[key].Commit = ""
				}
			}
			now = known[key]
			if words := strings.Fields(value); len(words) > 1 {
				number, _ = strconv.Atoi(words[1])
			}
			continue
		}
		switch key {
		case "author":
			now.Author = value
		case "summary":
			now.Subject = value
		case "filename":
			now.Name = value
		case "committer-time":
			now.Committed = seconds(value)
		case "author-time":
			now.Authored = seconds(value)
		}
	}
	for i := range lines {
		if lines[i].Commit == "" {
			lines[i].Author, lines[i].Subject, lines[i].Committed, lines[i].Authored = "", "", time.Time{}, time.Time{}
		}
	}
	return lines
}

// seconds reads a time as git writes it; the zero time if it is none.
func seconds(s string) time.Time {
	sec, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(sec, 0).UTC()
}
