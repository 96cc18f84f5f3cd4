package project

import (
	"os"
	"path/filepath"

	"remanence/internal/fsx"
)

// folder is a directory of git's own: sub below base. Its files are foreign
// input. They are opened below base and nowhere else, whatever links lie on the
// way or are put there meanwhile, and only if they are plain files of this user
// or of the system under one name: a second name may be that of another's file.
// One that takes a deadline can be waited for, whatever it calls itself.
type folder struct {
	base, sub string
	open      *roots // nil: it is opened for each file
}

func (d folder) path() string { return filepath.Join(d.base, d.sub) }

// roots are the folders that stay open while one repository is read: most of
// what a file of it costs is the way there.
type roots struct{ at map[string]*os.Root }

func (r *roots) close() {
	for _, root := range r.at {
		_ = root.Close()
	}
}

// root opens the folder. done is to be called when its files are open.
func (d folder) root() (root *os.Root, done func(), err error) {
	if d.open != nil && d.open.at[d.path()] != nil {
		return d.open.at[d.path()], func() {}, nil
	}
	if root, err = os.OpenRoot(d.base); err == nil && d.sub != "" {
		base := root
		root, err = base.OpenRoot(d.sub)
		_ = base.Close()
	}
	if err != nil {
		return nil, nil, err
	}
	if d.open == nil {
		return root, func() { _ = root.Close() }, nil
	}
	d.open.at[d.path()] = root
	return root, func() {}, nil
}

// file opens a file of the folder for reading. It never waits.
func (d folder) file(name string) (*os.File, error) {
	root, done, err := d.root()
	if err != nil {
		return nil, err
	}
	defer done()
	return openPlain(root, name, fsx.Options{OneName: true, Owner: fsx.OwnedByUserOrRoot})
}

// openPlain opens a plain file below root for reading, also through a link. It never waits.
func openPlain(root *os.Root, name string, o fsx.Options) (*os.File, error) {
	o.FollowLinks, o.NoPollable = true, true
	f, _, err := fsx.Open(root, name, o)
	return f, err
}

// has reports whether there is anything of a name, a link that leads away included.
func (d folder) has(name string) bool {
	root, done, err := d.root()
	if err != nil {
		return false
	}
	defer done()
	_, err = root.Lstat(name)
	return err == nil
}

// small is the content of a small file; nothing if it may not be opened or is larger.
func (d folder) small(name string) string { return d.text(name, maxPointer) }

func (d folder) text(name string, max int64) string {
	f, err := d.file(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := fsx.ReadAll(f, max)
	if err != nil {
		return ""
	}
	return string(b)
}
