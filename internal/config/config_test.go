package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/rank"
)

func TestWhatCountsOfSeveralValues(t *testing.T) {
	const key, alias = "context.observations", "CLAUDE_MEM_CONTEXT_OBSERVATIONS"
	file := filepath.Join(t.TempDir(), "config.toml")
	for _, tc := range []struct {
		name, file string
		env        map[string]string
		want       int
		origin     string
	}{
		{"nothing", "", nil, 50, "default"},
		{"alias", "", map[string]string{alias: "7"}, 7, alias},
		{"file before alias", "context.observations = 8", map[string]string{alias: "7"}, 8, "file"},
		{"own before alias", "", map[string]string{alias: "7", EnvName(key): "9"}, 9, EnvName(key)},
		{"own before file", "context.observations = 8", map[string]string{EnvName(key): "9"}, 9, EnvName(key)},
		{"one that does not fit gives way", "context.observations = 8", map[string]string{EnvName(key): "many"}, 8, "file"},
	} {
		if err := os.WriteFile(file, []byte(tc.file), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := LoadConfig(file, environment(tc.env))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range cfg.Values {
			if v.Key == key && (v.Value != tc.want || v.Origin != tc.origin) {
				t.Errorf("%s: got %v from %s, want %v from %s", tc.name, v.Value, v.Origin, tc.want, tc.origin)
			}
		}
	}
}

func TestHowUseCountsIsSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	for _, tc := range []struct {
		file string
		want rank.Use
		warn string
	}{
		{"", rank.Use{Start: rank.Documents, Prompt: rank.ByAuthority, HalfLife: rank.DefaultHalfLife}, ""},
		{
			"[use]\nsession_start = 'log'\nprompt = 'none'\nhalf_life_days = 7",
			rank.Use{Start: rank.Logarithm, Prompt: rank.NoUse, HalfLife: 7 * 24 * time.Hour},
			"",
		},
		{"[use]\nprompt = 'documents'\nhalf_life_days = 0", rank.Use{Start: rank.Documents, Prompt: rank.Documents}, ""},
		{"[use]\nhalf_life_days = 9999999999", rank.Use{
			Start: rank.Documents, Prompt: rank.ByAuthority,
			HalfLife: 100_000 * 24 * time.Hour,
		}, ""},
		{"[use]\nsession_start = 'authority'", rank.Use{
			Start: rank.Documents, Prompt: rank.ByAuthority,
			HalfLife: rank.DefaultHalfLife,
		}, "none of documents, log"},
		{"[use]\nhalf_life_days = -1", rank.Use{
			Start: rank.Documents, Prompt: rank.ByAuthority,
			HalfLife: rank.DefaultHalfLife,
		}, "whole number"},
	} {
		if err := os.WriteFile(file, []byte(tc.file), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := LoadConfig(file, environment(nil))
		if err != nil {
			t.Fatal(err)
		}
		tc.want.Prevented, tc.want.Cap, tc.want.Saturation, tc.want.Boost = rank.DefaultPrevented, rank.DefaultCap,
			rank.DefaultSaturation, rank.DefaultBoost
		if got := cfg.Settings().Use; got != tc.want {
			t.Errorf("%q: got %+v, want %+v", tc.file, got, tc.want)
		}
		if got := strings.Join(cfg.Warnings, "; "); !strings.Contains(got, tc.warn) || (tc.warn == "") != (got == "") {
			t.Errorf("%q: warnings %q, want %q", tc.file, got, tc.warn)
		}
	}
}
