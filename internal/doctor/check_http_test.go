package doctor

import (
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/setup"
)

func TestThePortIsCheckedOnlyIfPromised(t *testing.T) {
	for _, tc := range []struct {
		name  string
		port  int
		rt    api.Runtime
		state string // empty: nothing is said
	}{
		{"never wanted", 0, api.Runtime{}, ""},
		{"open", 7777, api.Runtime{HTTP: "127.0.0.1:7777"}, setup.OK},
		{"taken", 7777, api.Runtime{HTTPFault: "address already in use"}, setup.Warn},
		{"wanted since", 7777, api.Runtime{}, setup.Warn},
		{"another since", 777, api.Runtime{HTTP: "127.0.0.1:7777"}, setup.Warn},
		{"opened for a browser", 0, api.Runtime{HTTP: "127.0.0.1:7777", HTTPPort: 7777}, setup.OK},
		{"not wanted any more", 0, api.Runtime{HTTP: "127.0.0.1:7777"}, setup.Warn},
		{"not wanted any more, and taken", 0, api.Runtime{HTTPFault: "address already in use"}, ""},
	} {
		got := ""
		for _, it := range HTTPItem(tc.port, tc.rt) {
			got = it.State
			if got == setup.Warn && (ui.Deref(it.Code) != "REM-D008" || it.Why == nil || len(it.Fix) == 0) {
				t.Errorf("%s: got %+v, want a code, a cause and a fix", tc.name, it)
			}
		}
		if got != tc.state {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.state)
		}
	}
}

func TestStatusShowsTheAddressForTools(t *testing.T) {
	now := time.Now()
	at := "127.0.0.1:7777"
	for want, d := range map[string]DaemonView{
		"daemon up now":                      {State: "up", Since: &now},
		"daemon up now, http 127.0.0.1:7777": {State: "up", Since: &now, HTTP: &at},
		"daemon up now, http port not open: remanence doctor": {
			State: "up", Since: &now,
			httpFault: "address already in use",
		},
	} {
		if got := d.sentence(now); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
