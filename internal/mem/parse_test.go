package mem_test

import (
	"errors"
	"testing"

	"remanence/internal/fault"
	"remanence/internal/mem"
)

func TestKindsAndScopesAreReadInAnyCase(t *testing.T) {
	for s, want := range map[string]mem.Kind{
		"gotcha": mem.Gotcha, "Error-Fix": mem.ErrorFix, "trade_off": mem.TradeOff, "UTTERANCE": mem.Utterance,
	} {
		if got, err := mem.ParseKind(s); err != nil || got != want {
			t.Errorf("kind %q: got %q, %v, want %q", s, got, err, want)
		}
	}
	for s, want := range map[string]mem.Scope{
		"session": mem.ScopeSession, "Project": mem.ScopeProject, "user": mem.ScopeUser,
	} {
		if got, err := mem.ParseScope(s); err != nil || got != want {
			t.Errorf("scope %q: got %q, %v, want %q", s, got, err, want)
		}
	}
}

func TestUnknownKindsAndScopesAreInputFaultsWithAFix(t *testing.T) {
	_, kind := mem.ParseKind("gotchas")
	_, noKind := mem.ParseKind("")
	_, scope := mem.ParseScope("galaxy")
	for _, c := range []struct {
		err error
		fix string
	}{
		{kind, "use gotcha"},
		{
			noKind, "use one of: request, gotcha, error_fix, howto, change, discovery, rationale, decision, trade_off, " +
				"convention, preference, fact, todo, file_note, command, summary, snapshot, scratch, utterance",
		},
		{scope, "use session, project or user"},
	} {
		f, ok := errors.AsType[fault.Fault](c.err)
		if !ok || f.Code != fault.Input.Code || f.Why == "" || len(f.Fix) == 0 || f.Fix[0] != c.fix {
			t.Errorf("got %+v, want a %s with a reason and the fix %q", c.err, fault.Input.Code, c.fix)
		}
	}
}
