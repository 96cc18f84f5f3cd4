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
	"remanence/internal/daemon"
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
		RunE: func(*cobra.Command, []string) error { return configList(a, false, true) },
	}
	var origin, short bool
	list := &cobra.Command{
		Use: "list", Short: "every setting: value, meaning, range, default",
		Example: "  remanence config list --short\n  remanence config list --origin", Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return configList(a, origin, short) },
	}
	list.Flags().BoolVar(&origin, "origin", false, "show where each value comes from")
	list.Flags().BoolVar(&short, "short", false, "only keys and values")
	describe := &cobra.Command{
		Use: "describe <key>...", Short: "value, meaning, range, default and origin of settings",
		Long:    "A first part of keys, such as embed or hooks.session_start, stands for all below it.",
		Example: "  remanence config describe recall.vector_floor\n  remanence config describe embed",
		Args:    atLeast(1, "a key"),
		RunE:    func(_ *cobra.Command, args []string) error { return configDescribe(a, args) },
	}
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
	for _, c := range []*cobra.Command{get, set, unset, describe} {
		c.ValidArgsFunction = completeKeys
	}
	cmd.AddCommand(get, set, unset, list, describe,
		&cobra.Command{
			Use: "edit", Short: "open the file in your editor", Example: "  remanence config edit", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return configEdit(a) },
		},
		&cobra.Command{
			Use: "path", Short: "where the file is", Example: "  remanence config path", Args: atMost(0),
			RunE: func(*cobra.Command, []string) error { return a.out.Show(ui.PathView{File: a.Paths.Config}) },
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

func configList(a *app, origin, short bool) error {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return err
	}
	v := ui.ConfigView{
		File: a.Paths.Config, Total: len(cfg.Values), Warnings: ui.NotNil(cfg.Warnings), Origin: origin, Short: short,
	}
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
			return a.out.Show(ui.SettingView{Setting: config.SettingOf(val)})
		}
	}
	return nil
}

// configDescribe shows the settings with these keys, or below them.
func configDescribe(a *app, keys []string) error {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return err
	}
	v := ui.ConfigView{File: a.Paths.Config, Warnings: []string{}, Origin: true}
	for _, key := range keys {
		found := false
		for _, val := range cfg.Values {
			if val.Key == key || strings.HasPrefix(val.Key, strings.TrimSuffix(key, ".")+".") {
				v.Values, found = append(v.Values, config.SettingOf(val)), true
			}
		}
		if _, err := FindOption(key); !found {
			return err
		}
	}
	v.Total = len(v.Values)
	return a.out.Show(v)
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
		return fault.Input.WithMessage("%s: %s", key, err).FixedBy("remanence config describe " + key)
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
	inFile := false
	err := changeConfig(a, func(src []byte) ([]byte, error) {
		left, err := config.UnsetKey(src, key)
		inFile = !bytes.Equal(left, src)
		return left, err
	})
	if err != nil {
		return err
	}
	if _, err := FindOption(key); err != nil {
		if !inFile {
			return err
		}
		a.out.Say("%s is no setting%s; it is not in the file any more.", key, config.Nearest(key))
		return nil
	}
	return configChanged(a, key)
}

// readAtStart are the settings that a running daemon does not look at again.
var readAtStart = []string{"privacy.rules", "store.dsn", "worker.http_port"}

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
	refused := daemon.StoreRefusal(a.Paths.Config, a.Sys.Getenv, key)
	for _, err := range []error{embedRefusal(a, key), modelRefusal(a, key), refused} {
		if err != nil {
			lines = append(lines, "warning: "+ui.OneLine(err.Error()))
		}
	}
	if slices.Contains(readAtStart, key) {
		lines = append(lines, "It counts from the daemon's next start on: remanence daemon restart")
	}
	return lines
}

// changeConfig replaces the file by what change makes of it, at once or not at all. A link stays a link.
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
	v := ui.ValidateView{File: a.Paths.Config, Problems: ui.NotNil(cfg.Warnings)}
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

// configSchema prints the JSON Schema of the configuration file.
func configSchema(a *app) error {
	b, err := ui.Encode(config.Schema())
	if err != nil {
		return err
	}
	a.out.Line("%s", b)
	return nil
}
