package config

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// System is the environment of one run of the program.
type System struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Now    func() time.Time
	Exit   func(code int) // ends the process from another goroutine
	Slack  time.Duration  // see hook.Config and engine.Config; 0 but in tests
}

// BuildID identifies this program file, also between two builds of the same version. Later builds compare
// greater.
func BuildID() string {
	exe, err := os.Executable()
	if err != nil {
		return Version
	}
	info, err := os.Stat(exe)
	if err != nil {
		return Version
	}
	return Version + "+" + strconv.FormatInt(info.ModTime().UnixMicro(), 36) + "." + strconv.FormatInt(info.Size(), 36)
}

// SecretLen is the length of the machine's own secret in bytes.
const SecretLen = 32

// ReadSecret reads the machine's own secret. It keys the markers of redacted secrets, so that equal secrets
// get equal markers, and the boundary of injected blocks. The first reader creates it. Without a place to
// store it, it is empty.
func ReadSecret(file string) []byte {
	for range 2 {
		b, err := ReadSmall(file)
		if key, herr := hex.DecodeString(string(b)); err == nil && herr == nil && len(key) == SecretLen {
			return key
		}
		if !errors.Is(err, fs.ErrNotExist) || makeSecret(file) != nil {
			return nil
		}
	}
	return nil
}

// ReadSmall reads a small regular file; anything else there, such as a pipe, is
// not waited for.
func ReadSmall(file string) ([]byte, error) { return ReadUpTo(file, 4096) }

// ReadUpTo reads a regular file of at most so many bytes.
func ReadUpTo(file string, most int64) ([]byte, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s: %w", file, errors.ErrUnsupported)
	}
	return os.ReadFile(file)
}

func makeSecret(file string) error {
	key := make([]byte, SecretLen)
	_, _ = rand.Read(key) // never fails
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("make secret: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".key-*")
	if err != nil {
		return fmt.Errorf("make secret: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(hex.EncodeToString(key))
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		// A link, not a rename: of two that make it at once the first wins.
		if err = os.Link(tmp.Name(), file); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return err
}

// cutBuild splits a build id into version, time and size.
func cutBuild(build string) (version, made, size string) {
	version, rest, _ := strings.Cut(build, "+")
	made, size, _ = strings.Cut(rest, ".")
	return version, made, size
}

// lessVersion compares versions like 1.12.3 number by number; a part that is no
// number counts as 0.
func lessVersion(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		x, y := part(as, i), part(bs, i)
		if x != y {
			return x < y
		}
	}
	return false
}

func part(list []string, i int) int {
	if i >= len(list) {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(list[i], "v"))
	if err != nil {
		return 0
	}
	return n
}
