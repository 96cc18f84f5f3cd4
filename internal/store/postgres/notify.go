//go:build postgres || backends

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// heardCheck is after how long without a notification the connection is examined: a network may have forgotten it.
const heardCheck = time.Minute

// channel is the name of the channel of the schema's daemons, as announce_written has it. A name of more than 63 bytes
// would be an error of the server.
func (s *database) channel() string {
	const prefix = "remanence "
	if len(prefix+s.schema) <= 63 {
		return prefix + s.schema
	}
	return prefix + string([]rune(s.schema)[:13])
}

// Notify sends a text of at most MaxNotice bytes to all who listen. Every role of the database can listen: it must not
// be a secret.
func (s *database) Notify(ctx context.Context, text string) error {
	_, err := s.pool.Exec(ctx, "SELECT pg_notify($1, $2)", s.channel(), text)
	return wrap("notify", err)
}

// Listen passes on what is sent, its own too, until ctx ends or the connection does. It calls ready when it begins.
func (s *database) Listen(ctx context.Context, ready func(), receive func(text string)) error {
	conf := s.pool.Config().ConnConfig
	conn, err := pgx.ConnectConfig(ctx, conf)
	if err != nil {
		return wrap("listen", err)
	}
	defer func() {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), conf.ConnectTimeout)
		defer stop()
		_ = conn.Close(ctx)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{s.channel()}.Sanitize()); err != nil {
		return wrap("listen", err)
	}
	ready()
	for {
		text, err := next(ctx, conn, conf.ConnectTimeout)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return wrap("listen", err)
		case text != "":
			receive(text)
		}
	}
}

// next waits for a notification; "" if there was none for a while, and the server answers.
func next(ctx context.Context, conn *pgx.Conn, patience time.Duration) (string, error) {
	waiting, stop := context.WithTimeout(ctx, heardCheck)
	defer stop()
	n, err := conn.WaitForNotification(waiting)
	if err == nil {
		return n.Payload, nil
	}
	if !pgconn.Timeout(err) || ctx.Err() != nil {
		return "", err
	}
	asking, stop := context.WithTimeout(ctx, patience)
	defer stop()
	return "", conn.Ping(asking)
}
