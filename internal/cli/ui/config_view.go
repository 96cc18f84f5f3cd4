package ui

import (
	"remanence/internal/config"
	"remanence/internal/fault"
)

// ConfigView shows settings.
type ConfigView struct {
	File     string           `json:"file"`
	Total    int              `json:"total"`
	Next     *string          `json:"next"`
	Values   []config.Setting `json:"values"`
	Warnings []string         `json:"warnings"`

	Origin bool `json:"-"` // show it
	Short  bool `json:"-"` // leave out what the settings mean
}

// SchemaName returns the name of the view's schema.
func (ConfigView) SchemaName() string { return "config" }

// List returns the items that --jsonl prints.
func (v ConfigView) List() []any { return Items(v.Values) }

// Print writes the view for a person.
func (v ConfigView) Print(p *Printer) {
	cols := []Column{{Name: "key"}, {Name: "value", Flex: true}, {Name: "origin"}}
	if !v.Origin {
		cols = cols[:2]
	}
	rows := make([][]string, 0, len(v.Values))
	for _, s := range v.Values {
		rows = append(rows, []string{s.Key, OneLine(s.ValueText()), s.Origin}[:len(cols)])
	}
	p.tableWith(cols, rows, func(i int) {
		if !v.Short {
			describe(p, v.Values[i])
		}
	})
	for _, w := range v.Warnings {
		p.Say("warning: %s", OneLine(w))
	}
}

// describe writes what a setting means, which values it takes and which is the default.
func describe(p *Printer, s config.Setting) {
	about := s.Accepts
	if byDefault := (config.Setting{Value: s.Default}).ValueText(); byDefault != s.ValueText() {
		about += " · default " + byDefault
	}
	for _, text := range []string{s.Doc, about} {
		p.Line("%s", p.Style(Dim, "    "+OneLine(text)))
	}
}

// SettingView shows the value of one setting.
type SettingView struct{ config.Setting }

// SchemaName returns the name of the view's schema.
func (SettingView) SchemaName() string { return "setting" }

// Print writes the view for a person.
func (v SettingView) Print(p *Printer) { p.Line("%s", OneLine(v.ValueText())) }

// PathView shows where the configuration file is.
type PathView struct {
	File string `json:"file"`
}

// SchemaName returns the name of the view's schema.
func (PathView) SchemaName() string { return "path" }

// Print writes the view for a person.
func (v PathView) Print(p *Printer) { p.Line("%s", v.File) }

// ValidateView shows the mistakes in the configuration file.
type ValidateView struct {
	OK       bool     `json:"ok"`
	File     string   `json:"file"`
	Problems []string `json:"problems"`
}

// SchemaName returns the name of the view's schema.
func (ValidateView) SchemaName() string { return "validate" }

// Print writes the view for a person.
func (v ValidateView) Print(p *Printer) {
	if v.OK {
		p.Line("ok: %s has no mistakes", v.File)
		return
	}
	for _, w := range v.Problems {
		p.Line("mistake: %s", OneLine(w))
	}
	p.Line("fix: remanence config edit · help: remanence help %s", fault.Config.Code)
}
