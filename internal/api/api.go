// Package api defines the daemon's HTTP API. One table of typed routes makes the
// server's handler (Mux), the client over a unix socket (Client) and the calls
// inside one process (Local). The package also contains the runtime file, by
// which clients reach the daemon, and starts the daemon. It imports neither
// the engine nor a database: the wiring binds routes to their functions. Start
// reading at routes.go.
package api

import (
	"context"
	"fmt"
	"reflect"
)

// Protocol is the version of the protocol. It increases when older clients stop
// working.
const Protocol = 1

// Route is one operation of the API: POST /api/v1/<Name>, with JSON in both directions.
type Route[Req, Rep any] struct {
	Name string
	// Get is the path below /api/v1/ at which GET does the same, with the request in
	// the query and in the {parts} of the path; "" means none. Only a route that
	// changes nothing may have one.
	Get string
	// Summary says in one line what the route does.
	Summary string
}

// Call calls the route. Its errors match the sentinels of package mem and
// context.DeadlineExceeded, also if they came over the wire.
func (r Route[Req, Rep]) Call(ctx context.Context, c Caller, req Req) (Rep, error) {
	var rep Rep
	err := c.Call(ctx, r.Name, req, &rep)
	return rep, err
}

// Caller calls routes by name: Client over the socket, Local in the same process.
// rep points to the response.
type Caller interface {
	Call(ctx context.Context, name string, req, rep any) error
}

// Nothing is an empty request or response.
type Nothing struct{}

// Binding is a route with the function that answers it. On makes one.
type Binding struct {
	name    string
	get     string
	summary string
	req     reflect.Type
	rep     reflect.Type
	wire    func(ctx context.Context, fill func(req any) error) (any, error)
}

// Around returns a binding that is answered by f, which calls answer once.
func (b Binding) Around(f func(answer func() (any, error)) (any, error)) Binding {
	wire := b.wire
	b.wire = func(ctx context.Context, fill func(req any) error) (any, error) {
		return f(func() (any, error) { return wire(ctx, fill) })
	}
	return b
}

// On binds a route to the function that answers it.
func On[Req, Rep any](r Route[Req, Rep], answer func(context.Context, Req) (Rep, error)) Binding {
	return Binding{
		name:    r.Name,
		get:     r.Get,
		summary: r.Summary,
		req:     reflect.TypeFor[Req](),
		rep:     reflect.TypeFor[Rep](),
		wire: func(ctx context.Context, fill func(req any) error) (any, error) {
			var in Req
			if err := fill(&in); err != nil {
				return nil, err
			}
			return answer(ctx, in)
		},
	}
}

// local answers a request of the same process. req is of type b.req, rep a pointer to one of b.rep. It is not part of
// the generic On, which is compiled for every route.
func (b Binding) local(ctx context.Context, req, rep any) error {
	in, out := reflect.ValueOf(req), reflect.ValueOf(rep)
	if !in.IsValid() || in.Type() != b.req || !out.IsValid() || out.Type() != reflect.PointerTo(b.rep) {
		return fmt.Errorf("route %s: %w: called with %T, %T", b.name, ErrInvalid, req, rep)
	}
	got, err := b.wire(ctx, func(fill any) error {
		reflect.ValueOf(fill).Elem().Set(in)
		return nil
	})
	if err != nil {
		return err
	}
	out.Elem().Set(reflect.ValueOf(got))
	return nil
}

// Local is a Caller inside one process. Values are passed without encoding.
type Local []Binding

// Call implements Caller.
func (l Local) Call(ctx context.Context, name string, req, rep any) error {
	for _, b := range l {
		if b.name == name {
			return b.local(ctx, req, rep)
		}
	}
	return fmt.Errorf("route %s: %w", name, ErrUnknownRoute)
}
