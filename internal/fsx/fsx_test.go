package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bases runs a test below an *os.Root and on the host. at makes a name of the directory.
func bases(t *testing.T, test func(t *testing.T, base Base, dir string, at func(name string) string)) {
	t.Run("root", func(t *testing.T) {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		must(t, err)
		defer root.Close()
		test(t, root, dir, func(name string) string { return name })
	})
	t.Run("host", func(t *testing.T) {
		dir := t.TempDir()
		test(t, Host{}, dir, func(name string) string { return filepath.Join(dir, name) })
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// wantFiles compares what is in a directory, as "name=content".
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		got = append(got, e.Name()+"="+string(b))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got files %q, want %q", got, want)
	}
}

func TestOpenRefusesWhatIsNotAPlainFile(t *testing.T) {
	bases(t, func(t *testing.T, base Base, dir string, at func(string) string) {
		write(t, dir, "plain", "text")
		must(t, os.Mkdir(filepath.Join(dir, "directory"), 0o700))
		must(t, os.Symlink("plain", filepath.Join(dir, "link")))
		must(t, os.Symlink("nothing", filepath.Join(dir, "dangling")))
		write(t, dir, "twice", "text")
		must(t, os.Link(filepath.Join(dir, "twice"), filepath.Join(dir, "second")))
		stranger := func(fs.FileInfo) bool { return false }
		for _, c := range []struct {
			name string
			o    Options
			want error
		}{
			{"plain", Options{}, nil},
			{"plain", Options{OneName: true, NoPollable: true, Owner: OwnedByUser}, nil},
			{"plain", Options{Owner: stranger}, ErrUnsafe},
			{"directory", Options{}, ErrUnsafe},
			{"link", Options{}, ErrUnsafe},
			{"link", Options{Flag: os.O_RDWR | os.O_CREATE}, ErrUnsafe},
			{"link", Options{FollowLinks: true}, nil},
			{"dangling", Options{Flag: os.O_RDWR | os.O_CREATE}, ErrUnsafe},
			{"dangling", Options{FollowLinks: true}, fs.ErrNotExist},
			{"twice", Options{}, nil},
			{"twice", Options{OneName: true}, ErrUnsafe},
			{"missing", Options{}, fs.ErrNotExist},
		} {
			f, info, err := Open(base, at(c.name), c.o)
			if !errors.Is(err, c.want) {
				t.Errorf("%s, %+v: got %v, want %v", c.name, c.o, err, c.want)
			}
			if err == nil && info.Size() != 4 || err != nil && f != nil {
				t.Errorf("%s: got file %v and information %v", c.name, f, info)
			}
			if f != nil {
				_ = f.Close()
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "nothing")); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a file was made behind a dangling link")
		}
	})
}

func TestOpenMakesAPrivateFile(t *testing.T) {
	bases(t, func(t *testing.T, base Base, dir string, at func(string) string) {
		for _, text := range []string{"one", "two"} {
			f, _, err := Open(base, at("log"), Options{Flag: os.O_WRONLY | os.O_CREATE | os.O_APPEND})
			must(t, err)
			_, err = f.WriteString(text)
			must(t, errors.Join(err, f.Close()))
		}
		wantFiles(t, dir, "log=onetwo")
		if info, err := os.Stat(filepath.Join(dir, "log")); err != nil || info.Mode().Perm()&^0o600 != 0 && OneName(info) &&
			syncsDirs {
			t.Errorf("got %v, %v; want a file of its owner alone", info.Mode(), err)
		}
	})
}

// swapping puts another file in the place of a name after it was looked at, so many times.
type swapping struct {
	Host
	times int
	swap  func()
}

func (s *swapping) Lstat(name string) (fs.FileInfo, error) {
	info, err := os.Lstat(name)
	if s.times > 0 {
		s.times--
		s.swap()
	}
	return info, err
}

func TestAFileThatIsReplacedWhileItIsOpenedIsOpenedAnew(t *testing.T) {
	for times, want := range map[int]error{1: nil, maxTries - 1: nil, maxTries: ErrUnsafe} {
		dir := t.TempDir()
		name := filepath.Join(dir, "file")
		write(t, dir, "file", "old")
		base := &swapping{times: times, swap: func() { must(t, Replace(Host{}, name, []byte("new"), Replacement{})) }}
		b, _, err := ReadFile(base, name, 10, Options{})
		if !errors.Is(err, want) || err == nil && string(b) != "new" {
			t.Errorf("replaced %d times: got %q, %v; want %v", times, b, err, want)
		}
	}
}

func TestALinkThatAppearsWhileAFileIsMadeIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	base := &swapping{times: 1, swap: func() { must(t, os.Symlink("elsewhere", name)) }}
	if _, _, err := Open(base, name, Options{Flag: os.O_WRONLY | os.O_CREATE}); !errors.Is(err, ErrUnsafe) {
		t.Errorf("got %v, want %v", err, ErrUnsafe)
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was made behind the link")
	}
}

func TestReadFileIsBounded(t *testing.T) {
	bases(t, func(t *testing.T, base Base, dir string, at func(string) string) {
		write(t, dir, "file", "12345")
		if b, _, err := ReadFile(base, at("file"), 5, Options{}); err != nil || string(b) != "12345" {
			t.Errorf("got %q, %v", b, err)
		}
		if b, _, err := ReadFile(base, at("file"), 4, Options{}); !errors.Is(err, ErrTooLarge) || b != nil {
			t.Errorf("got %q, %v; want %v", b, err, ErrTooLarge)
		}
		if b, err := ReadAll(strings.NewReader("12345"), 4); !errors.Is(err, ErrTooLarge) || b != nil {
			t.Errorf("got %q, %v; want %v", b, err, ErrTooLarge)
		}
	})
}

func TestReplaceWritesWholeOrNotAtAll(t *testing.T) {
	bases(t, func(t *testing.T, base Base, dir string, at func(string) string) {
		must(t, Replace(base, at("file"), []byte("old"), Replacement{}))
		must(t, Replace(base, at("file"), []byte("new"), Replacement{Temp: "temp"}))
		wantFiles(t, dir, "file=new")
		full := errors.New("no space left")
		for step, how := range map[string]Replacement{
			"prepare": {Prepare: func(*os.File) error { return full }},
			"write": {Write: func(f *os.File, b []byte) (int, error) {
				n, _ := f.Write(b[:1])
				return n, full
			}},
			"check": {Check: func() error { return full }},
			"sync":  {Write: func(f *os.File, _ []byte) (int, error) { return 0, f.Close() }},
		} {
			err := Replace(base, at("file"), []byte("lost"), how)
			if err == nil || step != "sync" && !errors.Is(err, full) {
				t.Errorf("%s: got %v, want an error", step, err)
			}
			wantFiles(t, dir, "file=new")
		}
		write(t, dir, "temp", "another's")
		if err := Replace(base, at("file"), []byte("lost"), Replacement{Temp: "temp"}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("got %v, want %v", err, fs.ErrExist)
		}
		wantFiles(t, dir, "file=new", "temp=another's")
	})
}

func TestADiscardedFileLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", "old")
	p, err := Create(Host{}, filepath.Join(dir, "file"), Replacement{Temp: "file.part"})
	must(t, err)
	_, err = p.Write([]byte("new"))
	must(t, err)
	wantFiles(t, dir, "file=old", "file.part=new")
	must(t, errors.Join(p.Discard(), p.Discard()))
	wantFiles(t, dir, "file=old")
}

func TestWriteNewKeepsWhatIsThere(t *testing.T) {
	bases(t, func(t *testing.T, base Base, dir string, at func(string) string) {
		full := errors.New("no space left")
		err := WriteNew(base, at("file"), nil, Replacement{Write: func(*os.File, []byte) (int, error) { return 0, full }})
		if !errors.Is(err, full) {
			t.Errorf("got %v, want %v", err, full)
		}
		wantFiles(t, dir)
		must(t, WriteNew(base, at("file"), []byte("first"), Replacement{}))
		if err := WriteNew(base, at("file"), []byte("second"), Replacement{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("got %v, want %v", err, fs.ErrExist)
		}
		wantFiles(t, dir, "file=first")
	})
}

// steps records what happens to a file, in order.
type steps struct {
	Host
	list []string
}

func (s *steps) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	what := "open"
	if flag&os.O_CREATE != 0 {
		what = "create"
	}
	s.list = append(s.list, what+" "+filepath.Base(name))
	return os.OpenFile(name, flag, perm)
}

func (s *steps) Rename(from, to string) error {
	s.list = append(s.list, "rename "+filepath.Base(from))
	return os.Rename(from, to)
}

// The sync of the temporary file cannot be seen from outside: the test of a
// failing sync shows that it precedes the renaming.
func TestReplaceSyncsTheDirectoryAfterTheRenaming(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	must(t, os.Mkdir(dir, 0o700))
	s := &steps{}
	must(t, Replace(s, filepath.Join(dir, "file"), []byte("text"), Replacement{
		Temp:  "temp",
		Check: func() error { s.list = append(s.list, "check"); return nil },
	}))
	want := []string{"create temp", "check", "rename temp"}
	if syncsDirs {
		want = append(want, "open dir")
	}
	if !slices.Equal(s.list, want) {
		t.Errorf("got %q, want %q", s.list, want)
	}
}

func TestMakePrivateDirKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o755))
	deep := filepath.Join(dir, "a", "b")
	must(t, errors.Join(MakePrivateDir(deep), MakePrivateDir(deep)))
	for path, want := range map[string]fs.FileMode{dir: 0o755, filepath.Join(dir, "a"): 0o700, deep: 0o700} {
		if info, err := os.Stat(path); err != nil || syncsDirs && info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v; want mode %v", path, info.Mode(), err, want)
		}
	}
	write(t, dir, "file", "")
	if err := MakePrivateDir(filepath.Join(dir, "file", "in")); err == nil {
		t.Error("got no error below a file")
	}
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// On another disk a file cannot be renamed, so it is copied.
func TestAFileIsMovedToAnotherDiskWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	other, err := os.MkdirTemp("/dev/shm", "remanence-move-")
	if err != nil {
		t.Skipf("NOT PROVED: there is no second disk: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	from, to := filepath.Join(dir, "from"), filepath.Join(other, "to")
	if err := os.WriteFile(from, []byte("a backup"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Move(from, filepath.Join(other, "no", "to")); err == nil || !exists(from) {
		t.Errorf("into no directory: %v, still there: %v, want an error and the file", err, exists(from))
	}
	if err := Move(from, to); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(other)
	if b, rerr := os.ReadFile(to); err != nil || rerr != nil || string(b) != "a backup" || len(left) != 1 ||
		exists(from) {
		t.Errorf("got %q, %v beside it, the first still there: %v; want it moved alone (%v, %v)", b, left,
			exists(from), err, rerr)
	}
}
