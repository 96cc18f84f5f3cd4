package hookclient

import (
	"testing"

	"remanence/internal/fault"
)

func TestTroubleIsReportedAsWhatItIs(t *testing.T) {
	for _, tc := range []struct {
		code string
		want string
		exit int
	}{
		{"REM-S003", "REM-S003", fault.ExitRefused},
		{"REM-S002", "REM-S002", fault.ExitFailed},
		{"REM-U000", "REM-D001", fault.ExitNoSetup},
		{"REM-X999", "REM-D001", fault.ExitNoSetup},
	} {
		f := Trouble{Code: tc.code, Why: "because", Text: "nothing is remembered"}.Fault()
		if f.Code != tc.want || f.Exit != tc.exit || f.Why == "" || len(f.Fix) == 0 {
			t.Errorf("%s: got %+v, want %s, exit %d", tc.code, f, tc.want, tc.exit)
		}
	}
}
