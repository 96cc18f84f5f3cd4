// Package api is how the worker is spoken to: one table of typed routes makes
// the server's handler (Mux), the client over a unix socket (Client) and the
// calls inside one process (Local). It also keeps the runtime file, which tells
// clients where the worker is, and starts the worker. It knows neither the
// engine nor a database: what a route does is bound by the wiring.
package api

import (
	"context"
	"fmt"
	"reflect"
)

// Protocol is the version of the wire contract. It grows when an older client
// would no longer be understood.
const Protocol = 1

// Route is one question to the worker: POST /api/v1/<Name>, JSON both ways.
type Route[Req, Rep any] struct {
	Name string
	// Get is where GET asks the same below /api/v1/, with the request in its query
	// and in the {parts} of its path; "" means nowhere. Only a route that changes
	// nothing may have one.
	Get string
}

// Call puts the question. Its errors match the sentinels of package mem, and
// context.DeadlineExceeded, also when the answer came over the wire.
func (r Route[Req, Rep]) Call(ctx context.Context, c Caller, req Req) (Rep, error) {
	var rep Rep
	err := c.Call(ctx, r.Name, req, &rep)
	return rep, err
}

// Caller carries a question to whoever answers it. rep points to the answer.
type Caller interface {
	Call(ctx context.Context, name string, req, rep any) error
}

// Nothing is the request or reply of a route that needs none.
type Nothing struct{}

// Binding is a route together with what answers it; made by On.
type Binding struct {
	name  string
	get   string
	req   reflect.Type
	rep   reflect.Type
	local func(ctx context.Context, req, rep any) error
	wire  func(ctx context.Context, fill func(req any) error) (any, error)
}

// Judged returns the binding with every error of its answers passed through judge.
func (b Binding) Judged(judge func(error) error) Binding {
	local, wire := b.local, b.wire
	b.local = func(ctx context.Context, req, rep any) error {
		err := local(ctx, req, rep)
		if err != nil {
			err = judge(err)
		}
		return err
	}
	b.wire = func(ctx context.Context, fill func(req any) error) (any, error) {
		rep, err := wire(ctx, fill)
		if err != nil {
			err = judge(err)
		}
		return rep, err
	}
	return b
}

// On binds a route to what answers it.
func On[Req, Rep any](r Route[Req, Rep], answer func(context.Context, Req) (Rep, error)) Binding {
	return Binding{
		name: r.Name,
		get:  r.Get,
		req:  reflect.TypeFor[Req](),
		rep:  reflect.TypeFor[Rep](),
		local: func(ctx context.Context, req, rep any) error {
			in, ok := req.(Req)
			out, okRep := rep.(*Rep)
			if !ok || !okRep {
				return fmt.Errorf("route %s: %w: called with %T, %T", r.Name, ErrInvalid, req, rep)
			}
			got, err := answer(ctx, in)
			if err != nil {
				return err
			}
			*out = got
			return nil
		},
		wire: func(ctx context.Context, fill func(req any) error) (any, error) {
			var in Req
			if err := fill(&in); err != nil {
				return nil, err
			}
			return answer(ctx, in)
		},
	}
}

// Local is a Caller inside one process: values pass as they are.
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
