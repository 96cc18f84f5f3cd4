package cli

import (
	"bytes"
	"os"
	"testing"

	"remanence/internal/agent"
	"remanence/internal/setup"
)

func TestPluginRegistersWhatInstallWrites(t *testing.T) {
	got, err := os.ReadFile("../../plugin/hooks/hooks.json")
	if err != nil {
		t.Fatal(err)
	}
	if want := setup.PluginHooks(); !bytes.Equal(got, want) {
		t.Errorf("plugin/hooks/hooks.json is not what the table of hooks renders to; want\n%s", want)
	}
	if setup.PluginID != agent.OfCaller {
		t.Errorf("the plugin runs hook %s, which is known as %s", setup.PluginID, agent.OfCaller)
	}
}

func TestPluginBringsTheServerThatInstallWrites(t *testing.T) {
	got, err := os.ReadFile("../../plugin/.mcp.json")
	if err != nil {
		t.Fatal(err)
	}
	if want := setup.PluginServer(); !bytes.Equal(got, want) {
		t.Errorf("plugin/.mcp.json is not what setup writes; want\n%s", want)
	}
}
