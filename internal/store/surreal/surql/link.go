//go:build surreal || backends

package surql

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

// Link is a connection to one database of a server, which is made again after it broke. Calls share it.
type Link struct {
	Place Place
	Limit time.Duration // of one call

	lock   sync.Mutex
	closed bool
	now    *Attached
}

// Attached is a connection that signed in.
type Attached struct {
	DB   *sdk.DB
	conn *gorillaws.Connection
	Root bool // as a user of the whole server
}

// Get returns the connection, a new one if there is none that lives.
func (l *Link) Get(ctx context.Context) (*Attached, error) {
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
func (l *Link) attach(ctx context.Context) (*Attached, error) {
	ctx, stop := context.WithTimeout(ctx, l.Limit)
	defer stop()
	conf := connection.NewConfig(&url.URL{Scheme: l.Place.scheme, Host: l.Place.host})
	conn := gorillaws.New(conf)
	conn.Logger(logger.New(slog.DiscardHandler)).Timeout = 0 // contexts have the limit
	db, err := sdk.FromConnection(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", mem.ErrAway, err)
	}
	a := &Attached{DB: db, conn: conn}
	if err := a.signIn(ctx, l.Place); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// signIn signs in as a user of the database, of its namespace, or of the whole server: as the first that there is.
func (a *Attached) signIn(ctx context.Context, to Place) (err error) {
	if to.user == "" || to.password == "" {
		return errNoUser
	}
	for _, level := range []map[string]any{{"NS": to.Namespace, "DB": to.Database}, {"NS": to.Namespace}, {}} {
		a.Root = len(level) == 0
		level["user"], level["pass"] = to.user, to.password
		if _, err = a.DB.SignIn(ctx, level); err == nil || isAway(err) {
			break
		}
	}
	if err != nil {
		return err
	}
	if a.Root { // the others have them
		if _, err := sdk.Query[any](ctx, a.DB, "DEFINE NAMESPACE IF NOT EXISTS "+name(to.Namespace)+"; USE NS "+
			name(to.Namespace)+"; DEFINE DATABASE IF NOT EXISTS "+name(to.Database), nil); err != nil {
			return err
		}
	}
	return a.DB.Use(ctx, to.Namespace, to.Database)
}

func (a *Attached) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = a.DB.Close(ctx) // nothing waits for it
}

// drop closes a connection that does not answer, so that the next call makes a new one.
func (l *Link) drop(a *Attached) {
	l.lock.Lock()
	if l.now == a {
		l.now = nil
	}
	l.lock.Unlock()
	a.close()
}

// Close ends the link.
func (l *Link) Close() {
	l.lock.Lock()
	now := l.now
	l.closed, l.now = true, nil
	l.lock.Unlock()
	if now != nil {
		now.close()
	}
}

// Call runs f within the limit. A connection that fails is given up.
func (l *Link) Call(ctx context.Context, a *Attached, f func(ctx context.Context) error) error {
	limit := l.Limit
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

// Send runs the statements of a text and returns the rows of the last one.
func Send[S sender](ctx context.Context, s S, q *Statement) ([]Row, error) {
	all, err := sdk.Query[[]map[string]any](ctx, s, q.surql(), q.params())
	if err != nil {
		return nil, err
	}
	if all == nil || len(*all) == 0 {
		return nil, nil
	}
	last := (*all)[len(*all)-1].Result
	out := make([]Row, len(last))
	for i, r := range last {
		out[i] = r
	}
	return out, nil
}

// patience is the limit of a call for a reader or a writer of the whole store.
const patience = 10 * time.Minute

type patientKey struct{}

// Patient returns a context whose calls may take long.
func Patient(ctx context.Context) context.Context { return context.WithValue(ctx, patientKey{}, true) }
