package sqlite

import (
	"context"
	"strings"
)

// tableCopy copies one table.
type tableCopy struct {
	*salvager
	table, insert, from string
	width               int
	numbered            bool // the first value of a row is its number
	failures            int
}

// copyRange copies the rows of a range of numbers. At a row that cannot be read it
// continues from the other end, and then with halves of the rest. It does so too if
// the rows end before the range: a damaged number may look like one behind it.
func (c *tableCopy) copyRange(ctx context.Context, lo, hi int64) error {
	for lo <= hi {
		last, broken, err := c.read(ctx, c.from, lo-1, lo, hi)
		if err != nil || last == hi {
			return err
		}
		first, brokenToo, err := c.read(ctx, c.from+" DESC", hi+1, last+1, hi)
		if err != nil || first > hi && !broken && !brokenToo {
			return err
		}
		if c.failures++; c.failures > maxFailures || ctx.Err() != nil {
			return ctx.Err()
		}
		stuck := last < lo && first > hi
		if lo, hi = last+1, first-1; lo == hi {
			c.gaps++
			return nil
		}
		if stuck {
			mid := lo + (hi-lo)/2
			if err := c.copyRange(ctx, lo, mid); err != nil {
				return err
			}
			lo = mid + 1
		}
	}
	return nil
}

// fromBothEnds copies a table without row numbers up to the damage, and from
// its other end down to it.
func (c *tableCopy) fromBothEnds(ctx context.Context, key []string) error {
	_, broken, err := c.read(ctx, c.from+" ORDER BY "+strings.Join(key, ", "), 0)
	if err != nil || !broken {
		return err
	}
	c.gaps++
	_, _, err = c.read(ctx, c.from+" ORDER BY "+strings.Join(key, " DESC, ")+" DESC", 0)
	return err
}

// read copies the rows of a query until one cannot be read or is out of order:
// broken. It returns the number of the last row it copied, before if there was none.
func (c *tableCopy) read(ctx context.Context, query string, before int64, args ...any) (last int64, broken bool,
	err error,
) {
	last = before
	rs, err := c.src.QueryContext(ctx, query, args...)
	if err != nil {
		return last, true, ctx.Err()
	}
	defer rs.Close()
	values := make([]any, c.width)
	into := make([]any, 0, c.width+1)
	number, down := last, strings.HasSuffix(query, " DESC")
	if c.numbered {
		into = append(into, &number)
	}
	for i := range values {
		into = append(into, &values[i])
	}
	for rs.Next() {
		if err := rs.Scan(into...); err != nil {
			return last, true, nil
		}
		if c.numbered && (number == last || (number < last) != down) {
			return last, true, nil
		}
		if err := c.put(ctx, values); err != nil {
			return last, false, err
		}
		last = number
	}
	return last, rs.Err() != nil, ctx.Err()
}

// put writes one row. One that does not fit its table is damaged.
func (c *tableCopy) put(ctx context.Context, values []any) error {
	res, err := c.dst.exec(ctx, c.insert, values...)
	if isMisfit(err) {
		c.gaps++
		return nil
	}
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	c.rows[c.table] += int(n)
	return err
}
