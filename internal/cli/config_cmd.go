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
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "config",
		SuggestFor: []string{"settings", "set"},
		Short:      "read and change settings",
		Example:    "  remanence config list --origin\n  remanence config set hooks.user_prompt.token_budget 200\n  remanence config set profile silent",
		Args:       atMost(0),
		RunE:       func(*cobra.Command, []string) error { return a.configList(false) },
	}
	var origin bool
	list := &cobra.Command{
		Use: "list", Short: "every setting and its value", Example: "  remanence config list --origin", Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return a.configList(origin) },
	}
	list.Flags().BoolVar(&origin, "origin", false, "show where each value comes from")
	get := &cobra.Command{
		Use: "get <key>", Short: "the value of one setting", Example: "  remanence config get profile", Args: exactly(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error { return a.configGet(args[0]) },
	}
	set := &cobra.Command{
		Use: "set <key> <value>", Short: "change one setting in the file", Args: exactly(2, "a key and a value"),
		Long:    "Only the line of the key changes. A list is given with commas. A value that\nbegins with - stands after --.",
		Example: "  remanence config set hooks.user_prompt.token_budget 200\n  remanence config set privacy.exclude_tools WebFetch,WebSearch",
		RunE:    func(_ *cobra.Command, args []string) error { return a.configSet(args[0], args[1]) },
	}
	unset := &cobra.Command{
		Use: "unset <key>", Short: "take a setting out of the file", Example: "  remanence config unset profile", Args: exactly(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error { return a.configUnset(args[0]) },
	}
	get.ValidArgsFunction, set.ValidArgsFunction, unset.ValidArgsFunction = completeKeys, completeKeys, completeKeys
	cmd.AddCommand(get, set, unset, list,
		&cobra.Command{
			Use: "edit", Short: "open the file in your editor", Example: "  remanence config edit", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return a.configEdit() },
		},
		&cobra.Command{
			Use: "path", Short: "where the file is", Example: "  remanence config path", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return a.out.show(pathView{a.paths.Config}) },
		},
		&cobra.Command{
			Use: "schema", Short: "JSON Schema of the file", Example: "  remanence config schema > config.schema.json", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return a.configSchema() },
		},
		&cobra.Command{
			Use: "validate", Short: "look for mistakes; exit 5 if there are any", Example: "  remanence config validate", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return a.configValidate() },
		},
	)
	return cmd
}

func (a *app) configList(origin bool) error {
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	if err != nil {
		return err
	}
	v := configView{File: a.paths.Config, Total: len(cfg.Values), Warnings: some(cfg.Warnings), origin: origin}
	for _, val := range cfg.Values {
		v.Values = append(v.Values, settingOf(val))
	}
	return a.out.show(v)
}

func (a *app) configGet(key string) error {
	if _, err := option(key); err != nil {
		return err
	}
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	if err != nil {
		return err
	}
	for _, val := range cfg.Values {
		if val.Key == key {
			return a.out.show(settingView{setting: settingOf(val)})
		}
	}
	return nil
}

func (a *app) configSet(key, text string) error {
	if err := a.put(key, text); err != nil {
		return err
	}
	return a.configChanged(key)
}

// put changes a setting in the file.
func (a *app) put(key, text string) error {
	o, err := option(key)
	if err != nil {
		return err
	}
	parsed, err := o.Parse(text)
	if err == nil {
		err = o.check(parsed)
	}
	if err != nil {
		return faultInput.about("%s: %s", key, err).fixedBy("remanence config list")
	}
	lit, err := literal(parsed)
	if err != nil {
		return err
	}
	return a.changeConfig(func(src []byte) ([]byte, error) { return setKey(src, key, lit) })
}

// putOut takes a setting out of the file.
func (a *app) putOut(key string) error {
	return a.changeConfig(func(src []byte) ([]byte, error) { return unsetKey(src, key) })
}

func (a *app) configUnset(key string) error {
	if err := a.putOut(key); err != nil {
		return err
	}
	if _, err := option(key); err != nil { // a key of ours no more: it may go all the same
		a.out.say("%s is no setting; it is not in the file.", key)
		return nil
	}
	return a.configChanged(key)
}

// readAtStart are the settings that a running daemon does not look at again.
var readAtStart = []string{"privacy.rules", "worker.http_port"}

// configChanged shows what counts now, which a variable may decide.
func (a *app) configChanged(key string) error {
	if err := a.configGet(key); err != nil {
		return err
	}
	for _, l := range a.afterChange(key) {
		a.out.say("%s", l)
	}
	return nil
}

// afterChange is what is to be known of a change of a setting.
func (a *app) afterChange(key string) (lines []string) {
	if name := EnvName(key); a.sys.Getenv(name) != "" {
		lines = append(lines, fmt.Sprintf("The variable %s overrides the file.", name))
	}
	for _, err := range []error{a.embedRefusal(key), a.modelRefusal(key)} {
		if err != nil {
			lines = append(lines, "warning: "+oneLine(err.Error()))
		}
	}
	if slices.Contains(readAtStart, key) {
		lines = append(lines, "It counts from the daemon's next start on: remanence daemon restart")
	}
	return lines
}

// changeConfig replaces the file by what change makes of it, at once or not at
// all. A link stays a link.
func (a *app) changeConfig(change func([]byte) ([]byte, error)) error {
	return a.paths.inTurn(func() error { return a.rewriteConfig(change) })
}

func (a *app) rewriteConfig(change func([]byte) ([]byte, error)) error {
	file, err := a.configFile()
	if err != nil {
		return err
	}
	src, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", file, err)
	}
	text := bytes.TrimPrefix(src, []byte(utfBOM))
	out, err := change(text)
	if errors.Is(err, errNoEdit) {
		return faultEdit.because("%s", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if string(out) == string(text) {
		return nil
	}
	err = replaceFile(file, slices.Concat(src[:len(src)-len(text)], out))
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return faultEdit.because("%s", err).fixedBy("make the directory of that file writable, or change it where it comes from")
	}
	return err
}

// configFile is the file behind the links to it.
func (a *app) configFile() (string, error) {
	real, err := filepath.EvalSymlinks(a.paths.Config)
	if err == nil {
		return real, nil
	}
	if _, lerr := os.Lstat(a.paths.Config); lerr == nil {
		return "", faultEdit.because("%s is a link that leads nowhere", a.paths.Config).fixedBy("make the file that it leads to, or remove the link")
	}
	return a.paths.Config, nil
}

// replaceFile writes a file for its owner only, whole or not at all.
func replaceFile(file string, data []byte) error { return replaceAs(file, data, 0o600) }

// replaceAs writes a file, whole or not at all. One that is there keeps its mode.
func replaceAs(file string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".remanence-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err := os.Rename(tmp.Name(), file); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}

func (a *app) configEdit() error {
	file, err := a.configFile()
	if err != nil {
		return err
	}
	if !exists(file) {
		if err := replaceFile(file, nil); err != nil {
			return err
		}
	}
	if err := a.editFile(a.paths.Config); err != nil {
		return err
	}
	return a.configValidate()
}

func (a *app) configValidate() error {
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	v := validateView{File: a.paths.Config, Problems: some(cfg.Warnings)}
	if err != nil {
		v.Problems = append([]string{err.Error()}, v.Problems...)
	}
	v.OK = len(v.Problems) == 0
	return a.out.judged(v, v.OK)
}

// option finds a setting by its key.
func option(key string) (Option, error) {
	for _, o := range Options() {
		if o.Key == key {
			return o, nil
		}
	}
	return Option{}, faultNoKey.about("no such setting: %q%s", key, nearest(key))
}

// literal is a value as TOML writes it.
func literal(v any) (string, error) {
	if d, ok := v.(time.Duration); ok {
		v = shortDuration(d)
	}
	b, err := toml.Marshal(map[string]any{"v": v})
	if err != nil {
		return "", fmt.Errorf("write value: %w", err)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(b), "v = ")), nil
}

// shortDuration is "30m" rather than "30m0s", and "7d".
func shortDuration(d time.Duration) string {
	if day := 24 * time.Hour; d > 0 && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

type setting struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Default any    `json:"default"`
	Origin  string `json:"origin"` // default, file or a variable's name
	Doc     string `json:"doc"`
}

func settingOf(v Value) setting {
	return setting{v.Key, plain(v.Value), plain(v.Def), v.Origin, v.Doc}
}

// plain is a setting's value in JSON's types.
func plain(v any) any {
	if d, ok := v.(time.Duration); ok {
		return shortDuration(d)
	}
	return v
}

func (s setting) text() string {
	if list, ok := s.Value.([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(s.Value)
}

type configView struct {
	File     string    `json:"file"`
	Total    int       `json:"total"`
	Next     *string   `json:"next"`
	Values   []setting `json:"values"`
	Warnings []string  `json:"warnings"`

	origin bool
}

func (configView) schema() string { return "config" }

func (v configView) list() []any { return items(v.Values) }

func (v configView) human(p *printer) {
	cols := []column{{name: "key"}, {name: "value", flex: true}, {name: "origin"}}
	if !v.origin {
		cols = cols[:2]
	}
	rows := make([][]string, 0, len(v.Values))
	for _, s := range v.Values {
		rows = append(rows, []string{s.Key, oneLine(s.text()), s.Origin}[:len(cols)])
	}
	p.table(cols, rows)
	for _, w := range v.Warnings {
		p.say("warning: %s", oneLine(w))
	}
}

type settingView struct{ setting }

func (settingView) schema() string { return "setting" }

func (v settingView) human(p *printer) { p.line("%s", oneLine(v.text())) }

type pathView struct {
	File string `json:"file"`
}

func (pathView) schema() string { return "path" }

func (v pathView) human(p *printer) { p.line("%s", v.File) }

type validateView struct {
	OK       bool     `json:"ok"`
	File     string   `json:"file"`
	Problems []string `json:"problems"`
}

func (validateView) schema() string { return "validate" }

func (v validateView) human(p *printer) {
	if v.OK {
		p.line("ok: %s has no mistakes", v.File)
		return
	}
	for _, w := range v.Problems {
		p.line("mistake: %s", oneLine(w))
	}
	p.line("fix: remanence config edit · help: remanence help %s", faultConfig.Code)
}

// configSchema prints the JSON Schema of the configuration file.
func (a *app) configSchema() error {
	b, err := encode(ConfigSchema())
	if err != nil {
		return err
	}
	a.out.line("%s", b)
	return nil
}

// ConfigSchema is the JSON Schema of the configuration file, made from Options.
func ConfigSchema() map[string]any {
	root := object()
	for _, o := range Options() {
		at, path := root, strings.Split(o.Key, ".")
		for _, name := range path[:len(path)-1] {
			props := at["properties"].(map[string]any)
			if props[name] == nil {
				props[name] = object()
			}
			at = props[name].(map[string]any)
		}
		at["properties"].(map[string]any)[path[len(path)-1]] = o.schema()
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Remanence configuration"
	return root
}

func object() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

func (o Option) schema() map[string]any {
	s := map[string]any{"description": o.Doc, "default": plain(o.Def)}
	switch o.Def.(type) {
	case bool:
		s["type"] = "boolean"
	case int:
		s["type"], s["minimum"] = "integer", 0
	case float64:
		s["type"] = "number"
	case []string:
		s["type"], s["items"] = "array", map[string]any{"type": "string"}
	case time.Duration:
		s["type"], s["pattern"] = "string", `^([0-9]+(d|w|min)|([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+)$`
	default:
		s["type"] = "string"
	}
	if len(o.One) > 0 {
		s["enum"] = o.One
	}
	return s
}
