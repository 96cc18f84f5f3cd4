//go:build fire && linux

package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A call is one system call that changes files, as strace saw it.
type call struct {
	name  string
	enter int      // position in the record at which it began
	leave int      // position at which its result was seen; the end if it never was
	fd    string   // path of the file it works on
	paths []string // the paths that it names
	data  []byte   // what it writes
	nums  []int64  // its other numbers
	flags string
	ret   int64

	open   bool // no result was seen, as its process was killed: it was done or it was not
	undone bool // it was not
}

// errIncomplete is what is wrong with a record in which something is missing.
var errIncomplete = errors.New("the record is incomplete")

// watched are the calls that are recorded. Those that the model of a disk does
// not know are among them, so that none is overlooked.
const watched = "open,openat,openat2,creat,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,sync_file_range," +
	"ftruncate,truncate,fallocate," +
	"rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,copy_file_range,sendfile,splice,mmap"

// longest is the longest write that is recorded whole, in bytes.
const longest = 2 << 20

// readTrace reads a record of strace -f -y. It returns the calls that worked and
// those of which no result was seen, by the position at which they began, and the
// number of positions. errIncomplete if lines are missing or damaged.
func readTrace(file string) ([]call, int, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	r := reading{running: map[string]begun{}}
	in := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			break
		}
		if err == nil {
			err = r.line(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%w: line %d: %w in %.300s", errIncomplete, r.n+1, err, line)
		}
		r.n++
	}
	if !r.ended || len(r.running) > 0 {
		return nil, 0, fmt.Errorf("%w: it breaks off after %d lines", errIncomplete, r.n)
	}
	slices.SortFunc(r.calls, func(a, b call) int { return a.enter - b.enter })
	return r.calls, 2 * r.n, nil
}

// reading is a record read up to line n.
type reading struct {
	n       int
	calls   []call
	running map[string]begun // by thread
	first   string           // the thread that plays the story
	ended   bool             // its end was seen
}

// begun is the beginning of a call.
type begun struct {
	text string
	at   int
}

// line takes in one more line.
func (r *reading) line(line string) error {
	pid, text, _ := strings.Cut(line, " ")
	text = strings.TrimLeft(text, " ")
	if cut, found := strings.CutSuffix(text, "<detached ...>"); found { // it was killed within the call
		text = cut + ") = ?"
	}
	if r.first == "" {
		r.first = pid
	}
	b, busy := r.running[pid]
	switch {
	case strings.HasPrefix(text, "---"):
		return nil
	case strings.HasPrefix(text, "+++"):
		r.ended = r.ended || pid == r.first
		if !busy {
			return nil
		}
		delete(r.running, pid)
		return r.add(b.text+") = ?", b.at)
	case strings.HasPrefix(text, "<... "):
		name, rest, found := strings.Cut(strings.TrimPrefix(text, "<... "), " resumed>")
		if !busy || !found || !strings.HasPrefix(b.text, name+"(") {
			return errors.New("the end of a call that did not begin")
		}
		delete(r.running, pid)
		return r.add(b.text+rest, b.at)
	case busy:
		return errors.New("a call within another")
	case strings.HasSuffix(text, "<unfinished ...>"):
		r.running[pid] = begun{strings.TrimSuffix(text, "<unfinished ...>"), r.n}
		return nil
	}
	return r.add(text, r.n)
}

// add takes in a whole call that began at a line and ends at this one.
func (r *reading) add(text string, at int) error {
	c, ok, err := parseCall(text)
	if ok && err == nil {
		c.enter, c.leave = 2*at, 2*r.n+1
		r.calls = append(r.calls, c)
	}
	return err
}

// parseCall reads "name(args) = result". ok is false for a call that failed.
func parseCall(text string) (c call, ok bool, err error) {
	name, rest, found := strings.Cut(text, "(")
	if !found {
		return c, false, fmt.Errorf("no call")
	}
	c.name = name
	var dir string
	for rest != "" && rest[0] != ')' {
		switch {
		case rest[0] == '"':
			var s []byte
			if s, rest, err = unquote(rest); err != nil {
				return c, false, err
			}
			if strings.HasPrefix(rest, "...") {
				return c, false, fmt.Errorf("a string was cut")
			}
			if strings.Contains(name, "write") {
				c.data = s
				break
			}
			path := string(s)
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			c.paths = append(c.paths, path)
		default:
			var word string
			word, rest = cutWord(rest)
			if i := strings.IndexByte(word, '<'); i >= 0 {
				path := strings.TrimSuffix(word[i+1:], ">")
				if strings.HasSuffix(word, deleted) {
					path = ""
				}
				if dir = path; word[0] != 'A' && c.fd == "" {
					c.fd = path
				}
				break
			}
			if n, err := strconv.ParseInt(word, 0, 64); err == nil {
				c.nums = append(c.nums, n)
				break
			}
			c.flags += " " + word
		}
		rest = strings.TrimLeft(rest, ", ")
	}
	_, result, found := strings.Cut(rest, "= ")
	if !found {
		return c, false, fmt.Errorf("no result")
	}
	result, why, _ := strings.Cut(strings.TrimSpace(result), " ")
	if result == "?" {
		c.open, c.ret = true, int64(len(c.data))
		// It begins anew on a line of its own, or makes nothing certain.
		ok = !strings.HasPrefix(why, "ERESTART") && c.name != "fsync" && c.name != "fdatasync"
		return c, ok, nil
	}
	result, _, _ = strings.Cut(result, "<")
	if c.ret, err = strconv.ParseInt(result, 0, 64); err != nil || c.ret < 0 {
		return c, false, err
	}
	return c, true, c.whole()
}

// whole reports what is missing of a write that worked.
func (c call) whole() error {
	want := map[string]int{"write": 1, "pwrite64": 2}[c.name] // numbers: how many bytes, and where
	if want > 0 && (len(c.nums) != want || c.nums[0] != int64(len(c.data)) || c.ret > c.nums[0]) {
		return fmt.Errorf("%d bytes of it, want %d", len(c.data), c.nums)
	}
	return nil
}

// cutWord takes an argument that is no string.
func cutWord(s string) (word, rest string) {
	i := 0
	for i < len(s) && s[i] != ',' && s[i] != ')' {
		switch {
		case strings.HasPrefix(s[i:], deleted):
			i += len(deleted)
		case s[i] == '<' && strings.IndexByte(s[i:], '>') > 0:
			i += strings.IndexByte(s[i:], '>') + 1
		case s[i] == '{' && strings.IndexByte(s[i:], '}') > 0:
			i += strings.IndexByte(s[i:], '}') + 1
		default:
			i++
		}
	}
	return strings.TrimSpace(s[:i]), s[i:]
}

// deleted marks the path of a descriptor whose file has no name any more.
const deleted = "(deleted)"

// unquote reads a string as strace writes it, and returns what follows it.
func unquote(s string) (b []byte, rest string, err error) {
	b = make([]byte, 0, len(s))
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b, s[i+1:], nil
		case '\\':
			i++
			if i >= len(s) {
				return nil, "", fmt.Errorf("no end of a string")
			}
			if at := strings.IndexByte(`ntrvf"\`, s[i]); at >= 0 {
				b = append(b, "\n\t\r\v\f\"\\"[at])
				continue
			}
			n, k := 0, i
			for ; k < len(s) && k < i+3 && s[k] >= '0' && s[k] <= '7'; k++ {
				n = n*8 + int(s[k]-'0')
			}
			if k == i {
				return nil, "", fmt.Errorf("unknown escape %.4q", s[i-1:])
			}
			b = append(b, byte(n))
			i = k - 1
		default:
			b = append(b, c)
		}
	}
	return nil, "", fmt.Errorf("no end of a string")
}
