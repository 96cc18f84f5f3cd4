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

// repairFirstPage replaces the first page of a damaged copy. The rows of the schema
// table are on other pages as a rule, and the first page leads to them. If those
// pages are not found, the first page of a new database is tried: databases that
// were made, or vacuumed, alike have their tables at the same pages. If the pages
// themselves are lost they come from a new database too, as do those that a
// truncated file lacks. The patch that makes most rows readable is used.
// mem.ErrCorrupt if none makes any readable.
func repairFirstPage(ctx context.Context, path string) error {
	donor := path + ".head"
	defer func() { _ = errors.Join(removeAll(donor), removeAll(donor+".vacuumed")) }()
	if err := removeAll(donor); err != nil {
		return err
	}
	if err := prepareCopy(ctx, donor); err != nil {
		return err
	}
	if err := copyInto(ctx, donor, donor+".vacuumed"); err != nil {
		return err
	}
	patches, err := patchesFor(ctx, path, donor, donor+".vacuumed")
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
		n, err := countReadable(ctx, path)
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

// patchesFor returns the first pages that a database may have had, and then whole
// schema tables of new databases.
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
		p, err := schemaPages(ctx, d, info.Size()/pageSize)
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

// schemaPages returns the pages of the schema table of a new database, and all of its
// pages that a file of so many pages lacks.
func schemaPages(ctx context.Context, donor string, have int64) (patch, error) {
	all, err := os.ReadFile(donor)
	if err != nil {
		return nil, err
	}
	if len(all) < pageSize {
		return nil, mem.ErrCorrupt
	}
	var numbers []int64
	if err := withConn(ctx, dsn(donor, lockWait)+"&mode=ro", func(conn *sql.Conn) (err error) {
		numbers, err = rows(ctx, conn, stmt("SELECT pageno FROM dbstat WHERE name='sqlite_schema'"), one[int64])
		return err
	}); err != nil {
		return nil, err
	}
	p := patch{}
	take := func(n int64) { p[n] = all[(n-1)*pageSize : n*pageSize] }
	take(1)
	clear(p[1][28:40]) // number of pages and list of free ones: those of the damaged file are used
	for _, n := range numbers {
		take(n)
	}
	for n := have + 1; n <= int64(len(all))/pageSize; n++ {
		take(n)
	}
	return p, nil
}

// apply writes the pages into a file. undo restores the former content.
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
	return func() error { return before.restore(path, info.Size()) }, nil
}

// restore writes the former pages into a file that had so many bytes.
func (p patch) restore(path string, size int64) error {
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

// countReadable counts rows whose content fits their table. Damage is no error; an
// error means that the rows could not be counted.
func countReadable(ctx context.Context, path string) (sum int, err error) {
	// Read-only, so that the log stays unchanged.
	err = withConn(ctx, dsn(path, lockWait)+"&mode=ro", func(conn *sql.Conn) error {
		for _, rows := range []string{
			"(SELECT id FROM memory LIMIT 50) WHERE id GLOB 'm_*'",
			"(SELECT short FROM session LIMIT 50) WHERE short GLOB 's_*'",
			"(SELECT payload FROM event LIMIT 50) WHERE typeof(payload) = 'text'",
		} {
			n := 0
			switch err := stmt("SELECT count(*) FROM "+rows).scan(ctx, conn, &n); {
			case err == nil:
				sum += n
			case !isMisread(err) && !nothingReadable(err): // a full disk, the end of ctx
				return err
			}
		}
		return nil
	})
	if isMisread(err) || nothingReadable(err) { // not even a connection could be made
		return 0, nil
	}
	return sum, err
}
