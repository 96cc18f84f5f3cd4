package config

import (
	"errors"
	"testing"
)

func TestSettingAKeyChangesNothingElse(t *testing.T) {
	const key = "hooks.user_prompt.token_budget"
	for _, tc := range []struct{ name, before, after string }{
		{"no file", "", "[hooks.user_prompt]\ntoken_budget = 7\n"},
		{"only comments", "# mine\n", "# mine\n\n[hooks.user_prompt]\ntoken_budget = 7\n"},
		{"no last newline", "profile = \"lean\"", "profile = \"lean\"\n\n[hooks.user_prompt]\ntoken_budget = 7\n"},
		{
			"in its table, with a comment", "[hooks.user_prompt]\n  token_budget   =  300   # enough\n# end\n",
			"[hooks.user_prompt]\n  token_budget   =  7   # enough\n# end\n",
		},
		{
			"dotted", "hooks.user_prompt.token_budget = 1\nprofile = 'full'\n",
			"hooks.user_prompt.token_budget = 7\nprofile = 'full'\n",
		},
		{
			"half dotted", "[hooks]\nuser_prompt.token_budget = 1\n[log]\nlevel = 'info'\n",
			"[hooks]\nuser_prompt.token_budget = 7\n[log]\nlevel = 'info'\n",
		},
		{
			"quoted names", "[\"hooks\".'user_prompt']\n\"token_budget\" = 1\n",
			"[\"hooks\".'user_prompt']\n\"token_budget\" = 7\n",
		},
		{"inline table with the key alone", "[hooks]\nuser_prompt = { }\n", ""},
		{
			"beside others in its table", "[hooks.user_prompt]\n\n[log]\nlevel = 'info'\n",
			"[hooks.user_prompt]\ntoken_budget = 7\n\n[log]\nlevel = 'info'\n",
		},
		{
			"in the table above", "[hooks]\nskip_tools = [\n  'A', # one\n  'B',\n]\n",
			"[hooks]\nskip_tools = [\n  'A', # one\n  'B',\n]\nuser_prompt.token_budget = 7\n",
		},
		{
			"windows line ends", "[log]\r\nlevel = 'info'\r\n",
			"[log]\r\nlevel = 'info'\r\n\r\n[hooks.user_prompt]\r\ntoken_budget = 7\r\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := SetKey([]byte(tc.before), key, "7")
			if tc.after == "" {
				if !errors.Is(err, ErrNoEdit) {
					t.Fatalf("got %q, %v, want %v", got, err, ErrNoEdit)
				}
				return
			}
			if err != nil || string(got) != tc.after {
				t.Errorf("got %q, %v, want %q", got, err, tc.after)
			}
		})
	}
}

func TestAKeyWithoutATableStandsBeforeTheFirstTable(t *testing.T) {
	for _, tc := range []struct{ name, before, after string }{
		{
			"after the other ones", "# top\nother = 1\n\n[log]\nlevel = 'info'\n",
			"# top\nother = 1\nprofile = 'full'\n\n[log]\nlevel = 'info'\n",
		},
		{
			"above a table and its comment", "# about log\n[log]\nlevel = 'info'\n",
			"profile = 'full'\n# about log\n[log]\nlevel = 'info'\n",
		},
		{"replaced over several lines", "profile = '''\nlean'''\n", "profile = 'full'\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := SetKey([]byte(tc.before), "profile", "'full'")
			if err != nil || string(got) != tc.after {
				t.Errorf("got %q, %v, want %q", got, err, tc.after)
			}
		})
	}
}

func TestUnsettingAKeyTakesItsLinesOnly(t *testing.T) {
	before := "# top\nprofile = 'full' # mine\n\n[hooks]\n# tools\nskip_tools = [\n  'A',\n]\n# " +
		"rest\nuser_prompt.token_budget = 1\n"
	for _, tc := range []struct{ key, after string }{
		{"profile", "# top\n\n[hooks]\n# tools\nskip_tools = [\n  'A',\n]\n# rest\nuser_prompt.token_budget = 1\n"},
		{"hooks.skip_tools", "# top\nprofile = 'full' # mine\n\n[hooks]\n# tools\n# rest\nuser_prompt.token_budget = 1\n"},
		{"log.level", before},
	} {
		got, err := UnsetKey([]byte(before), tc.key)
		if err != nil || string(got) != tc.after {
			t.Errorf("%s: got %q, %v, want %q", tc.key, got, err, tc.after)
		}
	}
}

func TestATableGoesWithTheLastOfItsKeys(t *testing.T) {
	for _, tc := range []struct{ name, before, after string }{
		{"alone", "[log]\nlevel = 'info'\n", ""},
		{"at the end", "profile = 'full'\n\n[log]\nlevel = 'info'\n", "profile = 'full'\n"},
		{
			"before another, by Windows", "a = 1\r\n\r\n[log]\r\nlevel = 'info'\r\n\r\n[b]\r\nc = 1\r\n",
			"a = 1\r\n\r\n[b]\r\nc = 1\r\n",
		},
		{"with another key", "[log]\nlevel = 'info'\nmore = 1\n", "[log]\nmore = 1\n"},
		{"with a comment in it", "[log]\nlevel = 'info'\n# mine\n", "[log]\n# mine\n"},
		{"with a comment beside it", "[log] # mine\nlevel = 'info'\n", "[log] # mine\n"},
		{"with a comment above it", "# mine\n[log]\nlevel = 'info'\n", "# mine\n[log]\n"},
		{"with a table below it", "[log]\nlevel = 'info'\n[log.more]\na = 1\n", "[log.more]\na = 1\n"},
		{"no table", "log.level = 'info'\n", ""},
	} {
		if got, err := UnsetKey([]byte(tc.before), "log.level"); err != nil || string(got) != tc.after {
			t.Errorf("%s: got %q, %v, want %q", tc.name, got, err, tc.after)
		}
	}
	made, err := SetKey([]byte("profile = 'full'\n"), "log.level", "'info'")
	if err != nil {
		t.Fatal(err)
	}
	if back, err := UnsetKey(made, "log.level"); err != nil || string(back) != "profile = 'full'\n" {
		t.Errorf("set and unset: got %q, %v", back, err)
	}
}

func TestABrokenFileIsNotEdited(t *testing.T) {
	for _, src := range []string{"profile = \n", "[hooks\n", "a = 1\na = 2\n"} {
		if got, err := SetKey([]byte(src), "profile", "'full'"); err == nil {
			t.Errorf("%q became %q, want an error", src, got)
		}
	}
}

func FuzzSetKey(f *testing.F) {
	for _, s := range []string{
		"", "profile = 'lean'\n", "[hooks]\nskip_tools = ['A']\n", "hooks = { skip_tools = [] }\n",
		"[[hooks]]\n", "# \r\n[log]\r\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, key := range []string{"profile", "hooks.skip_tools"} {
			out, err := SetKey([]byte(src), key, "'x'")
			if err != nil {
				continue
			}
			flat, err := flatTOML(out)
			if err != nil || flat[key] != "x" {
				t.Fatalf("%q became %q, in which %s is %v (%v)", src, out, key, flat[key], err)
			}
			if back, err := UnsetKey(out, key); err == nil {
				if flat, _ := flatTOML(back); flat[key] != nil {
					t.Fatalf("%q still has %s after unsetting", back, key)
				}
			}
		}
	})
}
