package sqlite

import (
	"context"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// PutPause sets or lifts a pause.
func (e *entry) PutPause(ctx context.Context, p mem.Pause) error {
	if err := e.putPausedPeriod(ctx, p); err != nil {
		return err
	}
	if p.Lift {
		_, err := e.exec(ctx, "DELETE FROM pause WHERE target=?", p.Target)
		return err
	}
	_, err := e.exec(ctx, `INSERT INTO pause (target, until, inject_only) VALUES (?,?,?)
		ON CONFLICT (target) DO UPDATE SET until=excluded.until, inject_only=excluded.inject_only`,
		p.Target, stored.Stamp(p.Until), p.InjectOnly)
	return err
}

// putPausedPeriod records the period of a pause, which stays known after its end.
// A new pause of a target ends the one before.
func (e *entry) putPausedPeriod(ctx context.Context, p mem.Pause) error {
	now := stored.Stamp(e.At)
	if _, err := e.exec(ctx, "UPDATE silence SET ended=? WHERE target=? AND (ended=0 OR ended>?)", now, p.Target,
		now); err != nil || p.Lift || p.InjectOnly {
		return err
	}
	_, err := e.exec(ctx, "INSERT INTO silence (target, begun, ended) VALUES (?,?,?)", p.Target, now,
		stored.Stamp(p.Until))
	return err
}

// Paused implements mem.Store.
func (s *projectStore) Paused(ctx context.Context, now time.Time) ([]mem.Pause, error) {
	pauses, err := lookUp(ctx, s.read,
		stmt("SELECT target, until, inject_only FROM pause WHERE until = 0 OR until > ? ORDER BY target", stored.Stamp(now)),
		into(func(p *mem.Pause) []any { return []any{&p.Target, timeAt(&p.Until), &p.InjectOnly} }))
	return pauses, wrap("pauses", err)
}

// PausedPeriods implements mem.Store.
func (s *projectStore) PausedPeriods(ctx context.Context, targets ...string) ([]mem.PausedPeriod, error) {
	periods, err := rows(ctx, s.read,
		stmt("SELECT begun, ended FROM silence").where((&filter{}).in("target", array(targets))).orderBy("begun"),
		into(func(p *mem.PausedPeriod) []any { return []any{timeAt(&p.Begun), timeAt(&p.Ended)} }))
	return periods, wrap("paused periods", err)
}
