package team

import (
	"cmp"
	"context"
	"errors"

	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/vault"
	"remanence/internal/vaultfile"
)

// page is how many files are read at once.
const page = 5_000

// folder is a project on the server of a team, for one synchronization.
type folder struct {
	store   stored.TeamStore
	project string
	after   int64
	found   []stored.TeamFile // what Changed found, for the next Look
	next    int64             // version after which the Look after it goes on
	more    bool
	authors map[string]string // of what the last Look found
	gone    map[string]bool   // likewise
}

var _ filesync.TeamFolder = (*folder)(nil)

// last is the version up to which the project was changed, from the version that is known.
func (f *folder) last(ctx context.Context) (int64, error) {
	_, last, err := f.store.Changes(ctx, f.project, f.after, nil, 0)
	return last, err
}

func (*folder) Place() string { return mem.TeamPlace }

func (*folder) There() bool { return true }

func (f *folder) More() bool { return f.more }

// Changed implements filesync.TeamFolder. After a start any file may have been changed.
func (f *folder) Changed(ctx context.Context) (files []string, all bool, err error) {
	if f.after == 0 {
		return nil, true, nil
	}
	f.found, f.next, err = f.store.Changes(ctx, f.project, f.after, nil, page)
	for _, file := range f.found {
		files = append(files, mem.TeamPlace+file.File)
	}
	return files, false, err
}

// Look implements filesync.SharedFiles. What it found counts as known when it is called again.
func (f *folder) Look(ctx context.Context, known func() ([]mem.Note, error), keep func(vaultfile.Changes) error,
) error {
	notes, err := known()
	if err != nil {
		return err
	}
	hashes := make(map[string]string, len(notes))
	for _, n := range notes {
		hashes[n.File] = cmp.Or(n.Hash, hashes[n.File])
	}
	if f.after == 0 {
		if f.found, f.next, err = f.store.Changes(ctx, f.project, 0, hashes, page); err != nil {
			return err
		}
	}
	var l vaultfile.Changes
	f.authors, f.gone = map[string]string{}, map[string]bool{}
	for _, file := range f.found {
		hash, there := hashes[file.File]
		name := mem.TeamPlace + file.File
		switch {
		case file.Deleted && there && hash != "":
			f.gone[name], l.Gone = true, append(l.Gone, file.File)
		case file.Deleted:
		default:
			n := vault.ReadNote(file.File, file.Text)
			if n.Hash != hash {
				f.authors[name], l.Notes = file.Author, append(l.Notes, n)
			}
		}
	}
	f.after, f.more = f.next, len(f.found) == page
	return keep(l)
}

func (*folder) Uncommitted(context.Context) (map[string]bool, error) { return nil, nil }

func (f *folder) Authors(context.Context) (map[string]string, error) { return f.authors, nil }

func (f *folder) Deleted(_ context.Context, file string) (bool, error) { return f.gone[file], nil }

// Send implements filesync.TeamFolder.
func (f *folder) Send(ctx context.Context, was mem.Note, c vaultfile.NoteChange) (mem.Note, error) {
	text, err := vault.WriteNote(was.File, "", c)
	if err != nil {
		return was, err
	}
	return vault.NoteOf(was.File, text), behind(f.store.Put(ctx, f.project, was.File, text, was.Hash))
}

// Remove implements filesync.TeamFolder.
func (f *folder) Remove(ctx context.Context, file, hash string) error {
	return behind(f.store.Delete(ctx, f.project, file, hash))
}

// behind is the error of a file that another changed.
func behind(err error) error {
	if errors.Is(err, stored.ErrNewer) {
		return vaultfile.ErrBehind
	}
	return err
}
