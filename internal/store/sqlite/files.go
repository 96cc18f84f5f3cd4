package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// FileCounts implements mem.Store. Below a directory it starts from the files. It reads an index of the memories that
// have files: the table itself would be read nearly whole. Injections are counted only for the files that are returned.
func (s *memoryStore) FileCounts(ctx context.Context, project, under string, limit int) ([]mem.FileRow, int, error) {
	from := "memory m INDEXED BY memory_with_files CROSS JOIN memory_file f"
	f := (&filter{}).and("m.files <> '' AND m.status = 'active'").and("m.kind <> ?", string(mem.Utterance)).
		project("m.project", project)
	if under = strings.TrimSuffix(under, "/"); under != "" {
		from = "memory_file f CROSS JOIN memory m INDEXED BY memory_with_files"
		f.and("f.path > ? AND f.path < ?", under+"/", stored.Above(under+"/"))
	}
	total := 0
	found, err := rows(ctx, s.read, stmt(`WITH top AS (
		SELECT f.path AS path, sum(m.kind <> 'change') AS known,
			sum(iif(m.kind = 'change', 1 + (SELECT repeats FROM memory WHERE number = m.number), 0)) AS changes,
			max(m.created) AS last, count(*) OVER () AS files
		FROM `+from+` ON f.memory = m.number`).where(f).add(`
		GROUP BY f.path ORDER BY known DESC, changes DESC, path`).limit(stored.LimitOr(limit)).add(`)
	SELECT path, known, changes, last, files, (SELECT count(*) FROM memory_file f JOIN memory m ON m.number = f.memory
		JOIN receipt_item i ON i.memory = m.id AND i.told = 1 WHERE f.path = top.path) FROM top ORDER BY known DESC,
		changes DESC, path`), func(r *sql.Rows) (l mem.FileRow, err error) {
		err = r.Scan(&l.Path, &l.Memories, &l.Changes, timeAt(&l.Last), &total, &l.Recalls)
		return l, err
	})
	return found, total, wrap("files", err)
}
