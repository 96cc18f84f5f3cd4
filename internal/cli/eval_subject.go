package cli

import (
	"context"
	"os"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/eval/evalstore"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/fsx"
)

// openOwn opens a copy of the person's store, with the person's settings.
func (a *app) openOwn(ctx context.Context) (*evalstore.Subject, error) {
	if err := a.hasDatabase(); err != nil {
		return nil, err
	}
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv) // its mistakes are shown by config validate
	em, err := configuredEmbedder(cfg, a.Sys.Getenv)
	if err != nil {
		return nil, err
	}
	made, err := ask(ctx, a, daemon.BackupStore, api.Nothing{})
	if err != nil {
		return nil, err
	}
	x, err := evalstore.OpenWith(ctx, a.Sys.Now(), a.readOnlyRedactor(), cfg.Settings(), em, func(file string) error {
		return fsx.Move(made.Path, file)
	})
	if err != nil {
		_ = os.Remove(made.Path) // gone already unless it could not be moved
	}
	return x, err
}

// configuredEmbedder is the embedder of the configuration; nil where none is chosen.
func configuredEmbedder(cfg config.Config, getenv func(string) string) (event.Embedder, error) {
	em, err := cfg.EmbedChoice().Embedder(getenv)
	if err != nil {
		return nil, fault.Embedding.Because("%s", err).WithExit(fault.ExitFailed)
	}
	if em == nil { // none is nil for the engine too
		return nil, nil
	}
	return em, nil
}
