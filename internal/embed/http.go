package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"remanence/internal/egress"
)

// maxAnswer bounds an answer in bytes: Batch vectors of MaxDimensions need about
// half of it.
const maxAnswer = 16 << 20

// ask sends one request and reads its answer.
func (e *Embedder) ask(ctx context.Context, texts []string) (raw [][]*float64, err error) {
	body, err := e.message(texts)
	if err != nil {
		return nil, err
	}
	err = e.server.Post(ctx, egress.Request{URL: e.path(), Body: body, Most: maxAnswer}, func(r io.Reader) (err error) {
		raw, err = e.read(r)
		return err
	}, errAnswer)
	var no *egress.Refusal
	if errors.As(err, &no) && no.Status == http.StatusNotFound {
		return nil, fmt.Errorf("%s has no model %q, or nothing at %s (status 404)", no.Host, e.cfg.Model, no.Path)
	}
	return raw, err
}
