package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPasswordsInAnAddressAreNeverShown(t *testing.T) {
	for dsn, want := range map[string]struct {
		shown  string
		usable bool
	}{
		"":                                   {"", true},
		"sqlite:":                            {"sqlite:", true},
		"postgres://u@h:5432/d?sslmode=off":  {"postgres://u@h:5432/d?sslmode=off", true},
		"postgresql://u@h/d":                 {"postgresql://u@h/d", true},
		"postgres://u:hunter2@h/d":           {"postgres://u@h/d", true},
		"postgres://h/d?password=hunter2&x":  {"postgres://h/d?x=", true},
		"postgres://h/d?sslpassword=hunter2": {"postgres://h/d", true},
		"postgres://u:hunter2@h:no/d":        {unreadableDSN, false},
		"host=h password=hunter2":            {unreadableDSN, false},
		"surreal://u@h:8000/n/d":             {"surreal://u@h:8000/n/d", true},
		"surreals://u:hunter2@h/n/d":         {"surreals://u@h/n/d", true},
		"surreal:///":                        {"surreal:///", true},
		"mysql://u:hunter2@h/d":              {unreadableDSN, false},
	} {
		getenv := func(name string) string { return map[string]string{"REMANENCE_STORE_DSN": dsn}[name] }
		c, err := LoadConfig(filepath.Join(t.TempDir(), "none.toml"), getenv)
		if err != nil {
			t.Fatal(err)
		}
		if got := Get[string](c, "store.dsn"); got != want.shown && dsn != "" {
			t.Errorf("%q is shown as %q, want %q", dsn, got, want.shown)
		}
		if hasPassword := strings.Contains(dsn, "hunter2"); hasPassword != (len(c.Warnings) > 0) ||
			strings.Contains(strings.Join(c.Warnings, ""), "hunter2") {
			t.Errorf("%q: warnings %q", dsn, c.Warnings)
		}
		server, err := c.ServerDSN()
		if (err == nil) != want.usable || strings.Contains(server, "hunter2") {
			t.Errorf("%q: server %q, error %v", dsn, server, err)
		}
		if isServer := dsn != "" && dsn != SQLiteDSN && want.usable; isServer != (server != "") {
			t.Errorf("%q: server %q", dsn, server)
		}
	}
}

// A daemon that an agent starts gets the variables that its servers need, and no others.
func TestADaemonGetsWhatItsServersNeed(t *testing.T) {
	for setting, want := range map[string]string{
		"REMANENCE_NONE":                        "",
		"REMANENCE_STORE_DSN=surreal://u@h/n/d": "SURREAL_PASSFILE SSL_CERT_FILE",
		"REMANENCE_STORE_DSN=postgres://u@h/d":  "PGPASSFILE SSL_CERT_FILE",
		"REMANENCE_SHARE_DSN=postgres://u@h/d":  "PGPASSFILE SSL_CERT_FILE",
	} {
		name, value, _ := strings.Cut(setting, "=")
		getenv := func(asked string) string { return map[string]string{name: value}[asked] }
		c, err := LoadConfig(filepath.Join(t.TempDir(), "none.toml"), getenv)
		if err != nil {
			t.Fatal(err)
		}
		got := c.OutsideNames()
		for name := range strings.FieldsSeq("SURREAL_PASSFILE PGPASSFILE SSL_CERT_FILE") {
			if slices.Contains(got, name) != strings.Contains(want, name) {
				t.Errorf("with %q a daemon gets %v, want %q", setting, got, want)
			}
		}
	}
}
