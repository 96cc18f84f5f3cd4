package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"remanence/internal/mem"
)

// FileCounts implements mem.Store. Below a folder it goes from the files to
// their memories. For all files it goes along an index that holds what is asked
// of a memory: to look at a third of all memories would be to read nearly all of
// their table. How often what is known of a file was told is counted for those
// files only that are returned.
func (s *memoryStore) FileCounts(ctx context.Context, project, under string, limit int) ([]mem.FileRow, int, error) {
	from := "memory m INDEXED BY memory_importance CROSS JOIN memory_file f"
	f := (&filter{}).and("m.status = ?", string(mem.Active)).and("m.kind <> ?", string(mem.Utterance))
	if project != "" {
		f.and("m.project = "+knownKey, project, project)
	}
	if under = strings.TrimSuffix(under, "/"); under != "" {
		from = "memory_file f CROSS JOIN memory m"
		f.and("f.path > ? AND f.path < ?", under+"/", above(under+"/"))
	}
	total := 0
	query := `WITH top AS (
		SELECT f.path AS path, sum(m.kind <> 'change') AS known,
			sum(iif(m.kind = 'change', 1 + (SELECT repeats FROM memory WHERE number = m.number), 0)) AS changes,
			max(m.created) AS last, count(*) OVER () AS files
		FROM ` + from + ` ON f.memory = m.number WHERE ` + f.where() + `
		GROUP BY f.path ORDER BY known DESC, changes DESC, path LIMIT ?+0)
	SELECT path, known, changes, last, files, (SELECT count(*) FROM memory_file f JOIN memory m ON m.number = f.memory
		JOIN receipt_item i ON i.memory = m.id AND i.told = 1 WHERE f.path = top.path) FROM top ORDER BY known DESC,
		changes DESC, path`
	found, err := rows(ctx, s.read, query, append(f.args, limitOr(limit)), func(r *sql.Rows) (l mem.FileRow, err error) {
		var last int64
		err = r.Scan(&l.Path, &l.Memories, &l.Changes, &last, &total, &l.Recalls)
		l.Last = moment(last)
		return l, err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("files: %w", translate(err))
	}
	return found, total, nil
}
