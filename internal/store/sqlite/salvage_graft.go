package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"os"

	"remanence/internal/mem"
)

// A patch replaces pages of a damaged copy: page numbers, from 1, to content.
type patch map[int64][]byte

// graft gives a copy a first page. What the table of contents says stands on
// other pages, as a rule, and the first only leads to them. Where they are not
// found it is that of a new database: tables begin at the same pages in all that
// were made alike, or made anew by a vacuum. Where those other pages are lost
// too, they are a new database's as well, and so is what a file that was cut
// short lacks of a new one. Whichever makes more of the copy readable is taken.
// mem.ErrCorrupt if none makes any of it readable.
func graft(ctx context.Context, path string) error {
	donor := path + ".head"
	defer func() { _ = errors.Join(removeAll(donor), removeAll(donor+".anew")) }()
	if err := removeAll(donor); err != nil {
		return err
	}
	if err := settle(ctx, donor); err != nil {
		return err
	}
	if err := copyInto(ctx, donor, donor+".anew"); err != nil {
		return err
	}
	patches, err := patchesFor(ctx, path, donor, donor+".anew")
	if err != nil {
		return err
	}
	var best patch
	most := 0
	for _, p := range patches {
		undo, err := p.apply(path)
		if err != nil {
			return err
		}
		n, err := sense(ctx, path)
		if err = errors.Join(err, undo()); err != nil {
			return err
		}
		if n > most {
			best, most = p, n
		}
	}
	if best == nil {
		return mem.ErrCorrupt
	}
	_, err = best.apply(path)
	return err
}

// patchesFor are first pages that a database may have had, and behind those the
// whole tables of contents of new databases.
func patchesFor(ctx context.Context, path string, donors ...string) ([]patch, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var heads, whole []patch
	for _, d := range donors {
		p, err := contentsOf(ctx, d, info.Size()/pageSize)
		if err != nil {
			return nil, err
		}
		heads, whole = append(heads, patch{1: p[1]}), append(whole, p)
	}
	if own := firstPage(heads[0][1], f); own != nil {
		heads = append(heads, patch{1: own})
	}
	return append(heads, whole...), nil
}

// contentsOf returns the pages of a new database's table of contents, and all of
// its pages that a file of so many pages lacks.
func contentsOf(ctx context.Context, donor string, have int64) (patch, error) {
	all, err := os.ReadFile(donor)
	if err != nil {
		return nil, err
	}
	if len(all) < pageSize {
		return nil, mem.ErrCorrupt
	}
	db, err := sql.Open("sqlite", dsn(donor, lockWait)+"&mode=ro")
	if err != nil {
		return nil, err
	}
	numbers, err := rows(ctx, db, "SELECT pageno FROM dbstat WHERE name='sqlite_schema'", nil, one[int64])
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	p := patch{}
	take := func(n int64) { p[n] = all[(n-1)*pageSize : n*pageSize] }
	take(1)
	clear(p[1][28:40]) // number of pages and list of free ones: those of the file count
	for _, n := range numbers {
		take(n)
	}
	for n := have + 1; n <= int64(len(all))/pageSize; n++ {
		take(n)
	}
	return p, nil
}

// apply writes the pages into a file. undo takes them back.
func (p patch) apply(path string) (undo func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	before := patch{}
	for n, page := range p {
		if err != nil {
			break
		}
		old := make([]byte, pageSize)
		var got int
		if got, err = f.ReadAt(old, (n-1)*pageSize); errors.Is(err, io.EOF) {
			err = nil
		}
		before[n] = old[:got]
		if err == nil {
			_, err = f.WriteAt(page, (n-1)*pageSize)
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return func() error { return before.takeBack(path, info.Size()) }, nil
}

// takeBack writes what was there before, in a file that had so many bytes.
func (p patch) takeBack(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	for n, page := range p {
		if err == nil {
			_, err = f.WriteAt(page, (n-1)*pageSize)
		}
	}
	return errors.Join(err, f.Truncate(size), f.Close())
}

// sense counts rows that are what their table says. The error says that it could
// not look: what it finds wrong is none.
func sense(ctx context.Context, path string) (int, error) {
	db, err := sql.Open("sqlite", dsn(path, lockWait)+"&mode=ro") // which leaves a log what it is
	if err != nil {
		return 0, err
	}
	defer db.Close()
	sum := 0
	for _, q := range []string{
		"SELECT count(*) FROM (SELECT id FROM memory LIMIT 50) WHERE id GLOB 'm_*'",
		"SELECT count(*) FROM (SELECT short FROM session LIMIT 50) WHERE short GLOB 's_*'",
		"SELECT count(*) FROM (SELECT payload FROM event LIMIT 50) WHERE typeof(payload) = 'text'",
	} {
		n := 0
		switch err := db.QueryRowContext(ctx, q).Scan(&n); {
		case err == nil:
			sum += n
		case !isMisread(err) && !nothingReadable(err): // a full disk, the end of ctx
			return 0, err
		}
	}
	return sum, nil
}
