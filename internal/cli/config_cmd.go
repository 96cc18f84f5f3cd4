package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/fault"
)

func configCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "config",
		SuggestFor: []string{"settings", "set"},
		Short:      "read and change settings",
		Example: "  remanence config list --origin\n  remanence config set hooks.user_prompt.token_budget 200\n  " +
			"remanence config set profile silent",
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return configList(a, false) },
	}
	var origin bool
	list := &cobra.Command{
		Use: "list", Short: "every setting and its value", Example: "  remanence config list --origin", Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return configList(a, origin) },
	}
	list.Flags().BoolVar(&origin, "origin", false, "show where each value comes from")
	get := &cobra.Command{
		Use: "get <key>", Short: "the value of one setting", Example: "  remanence config get profile",
		Args: exactly(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error { return configGet(a, args[0]) },
	}
	set := &cobra.Command{
		Use: "set <key> <value>", Short: "change one setting in the file", Args: exactly(2, "a key and a value"),
		Long: "Only the line of the key changes. A list is given with commas. A value that\nbegins with - stands after --.",
		Example: "  remanence config set hooks.user_prompt.token_budget 200\n  remanence config set privacy.exclude_tools " +
			"WebFetch,WebSearch",
		RunE: func(_ *cobra.Command, args []string) error { return configSet(a, args[0], args[1]) },
	}
	unset := &cobra.Command{
		Use: "unset <key>", Short: "take a setting out of the file", Example: "  remanence config unset profile",
		Args: exactly(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error { return configUnset(a, args[0]) },
	}
	get.ValidArgsFunction, set.ValidArgsFunction, unset.ValidArgsFunction = completeKeys, completeKeys, completeKeys
	cmd.AddCommand(get, set, unset, list,
		&cobra.Command{
			Use: "edit", Short: "open the file in your editor", Example: "  remanence config edit", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return configEdit(a) },
		},
		&cobra.Command{
			Use: "path", Short: "where the file is", Example: "  remanence config path", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return a.out.Show(pathView{a.Paths.Config}) },
		},
		&cobra.Command{
			Use: "schema", Short: "JSON Schema of the file", Example: "  remanence config schema > config.schema.json",
			Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return configSchema(a) },
		},
		&cobra.Command{
			Use: "validate", Short: "look for mistakes; exit 5 if there are any", Example: "  remanence config validate",
			Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return configValidate(a) },
		},
	)
	return cmd
}

func configList(a *app, origin bool) error {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return err
	}
	v := configView{File: a.Paths.Config, Total: len(cfg.Values), Warnings: ui.NotNil(cfg.Warnings), origin: origin}
	for _, val := range cfg.Values {
		v.Values = append(v.Values, config.SettingOf(val))
	}
	return a.out.Show(v)
}

func configGet(a *app, key string) error {
	if _, err := FindOption(key); err != nil {
		return err
	}
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return err
	}
	for _, val := range cfg.Values {
		if val.Key == key {
			return a.out.Show(settingView{Setting: config.SettingOf(val)})
		}
	}
	return nil
}

func configSet(a *app, key, text string) error {
	if err := putKey(a, key, text); err != nil {
		return err
	}
	return configChanged(a, key)
}

// putKey changes a setting in the file.
func putKey(a *app, key, text string) error {
	o, err := FindOption(key)
	if err != nil {
		return err
	}
	parsed, err := o.Parse(text)
	if err == nil {
		err = o.Validate(parsed)
	}
	if err != nil {
		return fault.Input.WithMessage("%s: %s", key, err).FixedBy("remanence config list")
	}
	lit, err := literal(parsed)
	if err != nil {
		return err
	}
	return changeConfig(a, func(src []byte) ([]byte, error) { return config.SetKey(src, key, lit) })
}

// putOutKey takes a setting out of the file.
func putOutKey(a *app, key string) error {
	return changeConfig(a, func(src []byte) ([]byte, error) { return config.UnsetKey(src, key) })
}

func configUnset(a *app, key string) error {
	if err := putOutKey(a, key); err != nil {
		return err
	}
	if _, err := FindOption(key); err != nil { // a key of ours no more: it may go all the same
		a.out.Say("%s is no setting; it is not in the file.", key)
		return nil
	}
	return configChanged(a, key)
}

// readAtStart are the settings that a running daemon does not look at again.
var readAtStart = []string{"privacy.rules", "worker.http_port"}

// configChanged shows what counts now, which a variable may decide.
func configChanged(a *app, key string) error {
	if err := configGet(a, key); err != nil {
		return err
	}
	for _, l := range afterChange(a, key) {
		a.out.Say("%s", l)
	}
	return nil
}

// afterChange returns what the person should know of a changed setting.
func afterChange(a *app, key string) (lines []string) {
	if name := config.EnvName(key); a.Sys.Getenv(name) != "" {
		lines = append(lines, fmt.Sprintf("The variable %s overrides the file.", name))
	}
	for _, err := range []error{embedRefusal(a, key), modelRefusal(a, key)} {
		if err != nil {
			lines = append(lines, "warning: "+ui.OneLine(err.Error()))
		}
	}
	if slices.Contains(readAtStart, key) {
		lines = append(lines, "It counts from the daemon's next start on: remanence daemon restart")
	}
	return lines
}

// changeConfig replaces the file by what change makes of it, at once or not at
// all. A link stays a link.
func changeConfig(a *app, change func([]byte) ([]byte, error)) error {
	return a.Paths.WithLock(func() error { return rewriteConfig(a, change) })
}

func rewriteConfig(a *app, change func([]byte) ([]byte, error)) error {
	file, err := a.configFile()
	if err != nil {
		return err
	}
	src, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", file, err)
	}
	text := bytes.TrimPrefix(src, []byte(config.UtfBOM))
	out, err := change(text)
	if errors.Is(err, config.ErrNoEdit) {
		return fault.Edit.Because("%s", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if string(out) == string(text) {
		return nil
	}
	err = config.ReplaceFile(file, slices.Concat(src[:len(src)-len(text)], out))
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fault.Edit.Because("%s",
			err).FixedBy("make the directory of that file writable, or change it where it comes from")
	}
	return err
}

// configFile is the file behind the links to it.
func (a *app) configFile() (string, error) {
	real, err := filepath.EvalSymlinks(a.Paths.Config)
	if err == nil {
		return real, nil
	}
	if _, lerr := os.Lstat(a.Paths.Config); lerr == nil {
		return "", fault.Edit.Because("%s is a link that leads nowhere",
			a.Paths.Config).FixedBy("make the file that it leads to, or remove the link")
	}
	return a.Paths.Config, nil
}

func configEdit(a *app) error {
	file, err := a.configFile()
	if err != nil {
		return err
	}
	if !config.Exists(file) {
		if err := config.ReplaceFile(file, nil); err != nil {
			return err
		}
	}
	if err := a.editFile(a.Paths.Config); err != nil {
		return err
	}
	return configValidate(a)
}

func configValidate(a *app) error {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	v := validateView{File: a.Paths.Config, Problems: ui.NotNil(cfg.Warnings)}
	if err != nil {
		v.Problems = append([]string{err.Error()}, v.Problems...)
	}
	v.OK = len(v.Problems) == 0
	return a.out.Judged(v, v.OK)
}

// FindOption finds a setting by its key.
func FindOption(key string) (config.Option, error) {
	for _, o := range config.Options() {
		if o.Key == key {
			return o, nil
		}
	}
	return config.Option{}, fault.NoKey.WithMessage("no such setting: %q%s", key, config.Nearest(key))
}

// literal is a value as TOML writes it.
func literal(v any) (string, error) {
	if d, ok := v.(time.Duration); ok {
		v = config.ShortDuration(d)
	}
	b, err := toml.Marshal(map[string]any{"v": v})
	if err != nil {
		return "", fmt.Errorf("write value: %w", err)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(b), "v = ")), nil
}

type configView struct {
	File     string           `json:"file"`
	Total    int              `json:"total"`
	Next     *string          `json:"next"`
	Values   []config.Setting `json:"values"`
	Warnings []string         `json:"warnings"`

	origin bool
}

func (configView) SchemaName() string { return "config" }

func (v configView) List() []any { return ui.Items(v.Values) }

func (v configView) Print(p *ui.Printer) {
	cols := []ui.Column{{Name: "key"}, {Name: "value", Flex: true}, {Name: "origin"}}
	if !v.origin {
		cols = cols[:2]
	}
	rows := make([][]string, 0, len(v.Values))
	for _, s := range v.Values {
		rows = append(rows, []string{s.Key, ui.OneLine(s.ValueText()), s.Origin}[:len(cols)])
	}
	p.Table(cols, rows)
	for _, w := range v.Warnings {
		p.Say("warning: %s", ui.OneLine(w))
	}
}

type settingView struct{ config.Setting }

func (settingView) SchemaName() string { return "setting" }

func (v settingView) Print(p *ui.Printer) { p.Line("%s", ui.OneLine(v.ValueText())) }

type pathView struct {
	File string `json:"file"`
}

func (pathView) SchemaName() string { return "path" }

func (v pathView) Print(p *ui.Printer) { p.Line("%s", v.File) }

type validateView struct {
	OK       bool     `json:"ok"`
	File     string   `json:"file"`
	Problems []string `json:"problems"`
}

func (validateView) SchemaName() string { return "validate" }

func (v validateView) Print(p *ui.Printer) {
	if v.OK {
		p.Line("ok: %s has no mistakes", v.File)
		return
	}
	for _, w := range v.Problems {
		p.Line("mistake: %s", ui.OneLine(w))
	}
	p.Line("fix: remanence config edit · help: remanence help %s", fault.Config.Code)
}

// configSchema prints the JSON Schema of the configuration file.
func configSchema(a *app) error {
	b, err := ui.Encode(ConfigSchema())
	if err != nil {
		return err
	}
	a.out.Line("%s", b)
	return nil
}

// ConfigSchema is the JSON Schema of the configuration file, made from Options.
func ConfigSchema() map[string]any {
	root := object()
	for _, o := range config.Options() {
		at, path := root, strings.Split(o.Key, ".")
		for _, name := range path[:len(path)-1] {
			props := at["properties"].(map[string]any)
			if props[name] == nil {
				props[name] = object()
			}
			at = props[name].(map[string]any)
		}
		at["properties"].(map[string]any)[path[len(path)-1]] = o.Schema()
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Remanence configuration"
	return root
}

func object() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}
