package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// settingAsk changes one setting, or previews the change.
type settingAsk struct {
	mem.ProjectRef
	Key   string `json:"key"`
	Value string `json:"value"` // as config set takes it
	Unset bool   `json:"unset,omitempty"`
}

// settingsView is every setting as it is now.
type settingsView struct {
	File     string         `json:"file"`
	Values   []settingItem  `json:"values"`
	Warnings []string       `json:"warnings"`
	Pauses   []ui.PauseItem `json:"pauses"`
	Notes    []string       `json:"notes"` // about the change just made
}

// settingItem is a setting and what may be put there.
type settingItem struct {
	config.Setting
	Text    string   `json:"text"` // the value as config set takes it
	Type    string   `json:"type"` // boolean, integer, number, string, list or duration
	Choices []string `json:"choices"`
	Env     string   `json:"env"`      // the variable that overrides the file
	AtStart bool     `json:"at_start"` // a change counts from the daemon's next start on
	Preview bool     `json:"preview"`  // it changes what is injected, so that a preview shows its effect
}

func settingItemOf(v config.Value) settingItem {
	s := settingItem{
		Setting: config.SettingOf(v), Choices: ui.NotNil(v.One), Env: config.EnvName(v.Key),
		AtStart: slices.Contains(readAtStart, v.Key),
	}
	s.Text, s.Type = s.ValueText(), v.Schema()["type"].(string)
	switch v.Def.(type) {
	case []string:
		s.Type = "list"
	case time.Duration:
		s.Type = "duration"
	}
	s.Preview = changesInjection(v.Key)
	return s
}

// changesInjection reports whether a setting changes what is injected.
func changesInjection(key string) bool {
	for _, part := range []string{"profile", "hooks.", "context.", "recall.", "nudge.", "use.", "vault."} {
		if key == part || len(key) > len(part) && key[:len(part)] == part {
			return true
		}
	}
	return false
}

func (h *programPages) settings(ctx context.Context, _ api.Nothing) (settingsView, error) {
	cfg, err := config.LoadConfig(h.Paths.Config, h.Sys.Getenv)
	v := settingsView{File: h.Paths.Config, Warnings: ui.NotNil(cfg.Warnings), Notes: []string{}}
	if err != nil {
		v.Warnings = append([]string{err.Error()}, v.Warnings...)
	}
	for _, val := range cfg.Values {
		v.Values = append(v.Values, settingItemOf(val))
	}
	pauses, err := h.Store.Paused(ctx, h.Sys.Now())
	if err != nil {
		return v, fmt.Errorf("pauses: %w", err)
	}
	v.Pauses = ui.PausesOf(pauses)
	return v, nil
}

// set changes the file, as config set and config unset do.
func (h *programPages) set(ctx context.Context, ask settingAsk) (settingsView, error) {
	a := h.app()
	var err error
	if ask.Unset {
		err = putOutKey(a, ask.Key)
	} else {
		err = putKey(a, ask.Key, ask.Value)
	}
	if err != nil {
		return settingsView{}, fmt.Errorf("%w: %w", api.ErrInvalid, err)
	}
	v, err := h.settings(ctx, api.Nothing{})
	v.Notes = ui.NotNil(afterChange(a, ask.Key))
	return v, err
}

// try returns what would be injected into the next session with a changed setting.
func (h *programPages) try(ctx context.Context, ask settingAsk) (mem.Receipt, error) {
	keys, err := config.ReadConfig(h.Paths.Config)
	if err != nil {
		return mem.Receipt{}, err
	}
	o, err := FindOption(ask.Key)
	if err != nil {
		return mem.Receipt{}, fmt.Errorf("%w: %w", api.ErrInvalid, err)
	}
	delete(keys, o.Key)
	if !ask.Unset {
		v, err := o.Parse(ask.Value)
		if err == nil {
			err = o.Validate(v)
		}
		if err != nil {
			return mem.Receipt{}, fmt.Errorf("%w: %s: %w", api.ErrInvalid, o.Key, err)
		}
		keys[o.Key] = ask.Value
		if list, ok := v.([]string); ok {
			keys[o.Key] = strings.Join(list, ",")
		}
	}
	return h.Engine.NextUnder(ctx, views.NextRequest{ProjectRef: ask.ProjectRef},
		config.FromMap(keys, h.Sys.Getenv).Settings())
}
