package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"remanence/internal/mem"
)

// addSpent adds to the counts of a day.
func (e *entry) addSpent(ctx context.Context, s mem.Spending) error {
	_, err := e.exec(ctx, `INSERT INTO spent (day, tokens, calls, failures) VALUES (?,?,?,?)
		ON CONFLICT (day) DO UPDATE SET tokens=tokens+excluded.tokens, calls=calls+excluded.calls,
		failures=failures+excluded.failures`,
		s.Day, s.Tokens, s.Calls, s.Failures)
	if err != nil {
		return fmt.Errorf("count what was spent: %w", err)
	}
	return nil
}

// Spent implements mem.Store.
func (s *runStore) Spent(ctx context.Context, day string) (mem.Spending, error) {
	found, err := rows(ctx, s.read, "SELECT tokens, calls, failures FROM spent WHERE day = ?", []any{day},
		func(r *sql.Rows) (mem.Spending, error) {
			v := mem.Spending{Day: day}
			return v, r.Scan(&v.Tokens, &v.Calls, &v.Failures)
		})
	if err != nil {
		return mem.Spending{}, fmt.Errorf("spent: %w", translate(err))
	}
	if len(found) == 0 {
		return mem.Spending{Day: day}, nil
	}
	return found[0], nil
}
