package hookclient

import (
	"path/filepath"
	"testing"

	"remanence/internal/config"
)

func TestTheAgentsOptionIsNoSettingOfTheWorker(t *testing.T) {
	env := environment(map[string]string{pluginOption: "off"})
	cfg, err := config.LoadConfig(filepath.Join(t.TempDir(), "none"), env)
	if got := cfg.Get("profile"); err != nil || got != "lean" {
		t.Errorf("got profile %v, %v, want lean: the option belongs to one client only", got, err)
	}
	if got := Environ(env); len(got) != 0 {
		t.Errorf("a worker is started with %v, want nothing of it", got)
	}
}
