//go:build surreal || backends

package surreal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	sdk "github.com/surrealdb/surrealdb.go"
	"github.com/surrealdb/surrealdb.go/pkg/connection"
	"github.com/surrealdb/surrealdb.go/pkg/connection/gorillaws"
	"github.com/surrealdb/surrealdb.go/pkg/logger"

	"remanence/internal/mem"
)

// link is a connection to one database of a server, which is made again after it broke. Calls share it.
type link struct {
	to    place
	limit time.Duration // of one call

	lock   sync.Mutex
	closed bool
	now    *attached
}

// attached is a connection that signed in.
type attached struct {
	db   *sdk.DB
	conn *gorillaws.Connection
	root bool // as a user of the whole server
}

// get returns the connection, a new one if there is none that lives.
func (l *link) get(ctx context.Context) (*attached, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	switch {
	case l.closed:
		return nil, errClosed
	case l.now != nil && !l.now.conn.IsClosed():
		return l.now, nil
	}
	now, err := l.attach(ctx)
	l.now = now
	return now, err
}

var errClosed = errors.New("the store is closed")

// attach connects and signs in.
func (l *link) attach(ctx context.Context) (*attached, error) {
	ctx, stop := context.WithTimeout(ctx, l.limit)
	defer stop()
	conf := connection.NewConfig(&url.URL{Scheme: l.to.scheme, Host: l.to.host})
	conn := gorillaws.New(conf)
	conn.Logger(logger.New(slog.DiscardHandler)).Timeout = 0 // contexts have the limit
	db, err := sdk.FromConnection(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", mem.ErrAway, err)
	}
	a := &attached{db: db, conn: conn}
	if err := a.signIn(ctx, l.to); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// signIn signs in as a user of the database, of its namespace, or of the whole server: as the first that there is.
func (a *attached) signIn(ctx context.Context, to place) (err error) {
	if to.user == "" || to.password == "" {
		return errNoUser
	}
	for _, level := range []map[string]any{{"NS": to.namespace, "DB": to.database}, {"NS": to.namespace}, {}} {
		a.root = len(level) == 0
		level["user"], level["pass"] = to.user, to.password
		if _, err = a.db.SignIn(ctx, level); err == nil || isAway(err) {
			break
		}
	}
	if err != nil {
		return err
	}
	if a.root { // the others have them
		if _, err := sdk.Query[any](ctx, a.db, "DEFINE NAMESPACE IF NOT EXISTS "+name(to.namespace)+"; USE NS "+
			name(to.namespace)+"; DEFINE DATABASE IF NOT EXISTS "+name(to.database), nil); err != nil {
			return err
		}
	}
	return a.db.Use(ctx, to.namespace, to.database)
}

func (a *attached) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = a.db.Close(ctx) // nothing waits for it
}

// drop closes a connection that does not answer, so that the next call makes a new one.
func (l *link) drop(a *attached) {
	l.lock.Lock()
	if l.now == a {
		l.now = nil
	}
	l.lock.Unlock()
	a.close()
}

// close ends the link.
func (l *link) close() {
	l.lock.Lock()
	now := l.now
	l.closed, l.now = true, nil
	l.lock.Unlock()
	if now != nil {
		now.close()
	}
}

// call runs f within the limit. A connection that fails is given up.
func (l *link) call(ctx context.Context, a *attached, f func(ctx context.Context) error) error {
	limit := l.limit
	if ctx.Value(patientKey{}) != nil {
		limit = patience
	}
	within, stop := context.WithTimeout(ctx, limit)
	defer stop()
	err := f(within)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if isAway(err) {
		l.drop(a)
	}
	return err
}

// sender has a connection or a transaction.
type sender interface{ *sdk.DB | *sdk.Transaction }

// send runs the statements of a text and returns the rows of the last one.
func send[S sender](ctx context.Context, s S, q *statement) ([]row, error) {
	all, err := sdk.Query[[]map[string]any](ctx, s, q.surql(), q.params())
	if err != nil {
		return nil, err
	}
	if all == nil || len(*all) == 0 {
		return nil, nil
	}
	last := (*all)[len(*all)-1].Result
	out := make([]row, len(last))
	for i, r := range last {
		out[i] = r
	}
	return out, nil
}

// run implements querier.
func (s *database) run(ctx context.Context, q *statement) (out []row, err error) {
	a, err := s.link.get(ctx)
	if err != nil {
		return nil, err
	}
	err = s.link.call(ctx, a, func(ctx context.Context) (err error) {
		out, err = send(ctx, a.db, q)
		return err
	})
	return out, err
}
