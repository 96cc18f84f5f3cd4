//go:build fire && linux

package disk

import (
	"bufio"
	"fmt"
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
}

// watched are the calls that are recorded. Those that the model of a disk does
// not know are among them, so that none is overlooked.
const watched = "open,openat,openat2,creat,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,sync_file_range,ftruncate,truncate,fallocate," +
	"rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,copy_file_range,sendfile,splice,mmap"

// longest is the longest write that is recorded whole, in bytes.
const longest = 2 << 20

// readTrace reads a record of strace -f -y. It returns the calls that worked, by
// the position at which they began, and the number of positions.
func readTrace(file string) ([]call, int, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	type begun struct {
		text string
		at   int
	}
	running := map[string]begun{}
	var calls []call
	add := func(text string, enter, leave int) error {
		c, ok, err := parseCall(text)
		if err != nil {
			return fmt.Errorf("%w in %.300s", err, text)
		}
		if ok {
			c.enter, c.leave = enter, leave
			calls = append(calls, c)
		}
		return nil
	}
	n := 0
	for ; ; n++ {
		line, err := in.ReadString('\n')
		if line == "" {
			break
		}
		pid, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		text = strings.TrimLeft(text, " ")
		switch {
		case strings.HasPrefix(text, "+++") || strings.HasPrefix(text, "---"):
		case strings.HasSuffix(text, "<unfinished ...>"):
			running[pid] = begun{strings.TrimSuffix(text, "<unfinished ...>"), n}
		case strings.HasPrefix(text, "<... "):
			_, rest, _ := strings.Cut(text, "resumed>")
			b := running[pid]
			delete(running, pid)
			if err := add(b.text+rest, 2*b.at, 2*n+1); err != nil {
				return nil, 0, err
			}
		default:
			if err := add(text, 2*n, 2*n+1); err != nil {
				return nil, 0, err
			}
		}
		if err != nil {
			break
		}
	}
	for _, b := range running { // killed meanwhile: it may have been done
		if err := add(b.text+") = ?", 2*b.at, 2*b.at+1); err != nil {
			return nil, 0, err
		}
	}
	slices.SortFunc(calls, func(a, b call) int { return a.enter - b.enter })
	return calls, 2 * n, nil
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
	_, result, _ := strings.Cut(rest, "=")
	result, _, _ = strings.Cut(strings.TrimSpace(result), " ")
	result, _, _ = strings.Cut(result, "<")
	if result == "?" || result == "" { // killed meanwhile: it may have been done
		c.ret = int64(len(c.data))
		return c, true, nil
	}
	c.ret, err = strconv.ParseInt(result, 0, 64)
	return c, err == nil && c.ret >= 0, err
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
