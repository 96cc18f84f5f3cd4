//go:build fire

package privacy

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/worker"
	"remanence/test/canary"
	"remanence/test/tier"
	"remanence/test/world"
)

// plant calls a hook for a sample of all fields of all events, with what draw
// gives in the field, and adds one event that shows that events arrive at all.
func plant(t *testing.T, p *world.Person, r *rand.Rand, n int, draw func() any) {
	t.Helper()
	all := fields(t, p)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := range min(n, len(all)) {
		f := all[i]
		if a := p.Hook(planted(t, f.payload, f.at, draw())); a.Status != 0 {
			t.Errorf("%s with %v: exit %d", f.event, f.at, a.Status)
		}
	}
	p.Hook(p.Payload("UserPromptSubmit", map[string]any{
		"prompt":     "the till sends receipts by snailmail",
		"session_id": "seen",
	}))
}

func private(r *rand.Rand) func() any {
	return func() any { return canary.Value(r) }
}

// none fails if the canary is in any file of the person.
func none(t *testing.T, p *world.Person, words ...string) {
	t.Helper()
	// On its way from the spool it is in the one file that was looked at before, or in the one after.
	if !p.Eventually(func() bool { return len(remains(t, p.Home, "snailmail")) > 0 }) {
		t.Error("the event beside is not kept either: this proves nothing")
	}
	for _, f := range remains(t, p.Home, words...) {
		t.Errorf("left in %s", f)
	}
}

func TestNothingPrivateIsWrittenByTheDaemon(t *testing.T) {
	p := person(t)
	r := tier.Rand(t)
	p.StartWorker()
	plant(t, p, r, tier.Runs(150, 10_000), private(r))
	none(t, p, canary.Word)
	p.StopWorker()
	none(t, p, canary.Word)
}

func TestNothingPrivateIsSpooled(t *testing.T) {
	p := person(t)
	r := tier.Rand(t)
	lock, err := worker.Acquire(p.Data(), 0)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, p, r, tier.Runs(100, 10_000), private(r))
	if p.Spool().Empty() {
		t.Error("nothing was spooled")
	}
	none(t, p, canary.Word)
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	p.Run("status") // takes the spool in
	if !p.Eventually(p.Spool().Empty) {
		t.Error("the spool is not taken in")
	}
	none(t, p, canary.Word)
}

// A worker that cannot open its database says so in the log and in a file of its own.
func TestNothingPrivateIsLoggedWithADamagedStore(t *testing.T) {
	p := person(t)
	r := tier.Rand(t)
	p.Run("add", "a note")
	p.StopWorker()
	if err := os.WriteFile(filepath.Join(p.Data(), "remanence.db"),
		[]byte("SQLite format 3\x00 and then nothing of the kind"), 0o600); err != nil {
		t.Fatal(err)
	}
	plant(t, p, r, tier.Runs(60, 10_000), private(r))
	none(t, p, canary.Word)
}

func TestNoSecretIsWrittenInAnyField(t *testing.T) {
	p := person(t)
	r := tier.Rand(t)
	var cores []string
	p.StartWorker()
	secrets := canary.Secrets(r)
	i := 0
	plant(t, p, r, tier.Runs(150, 10_000), func() any {
		if i++; i%len(secrets) == 0 {
			secrets = canary.Secrets(r)
		}
		s := secrets[i%len(secrets)]
		cores = append(cores, s.Core)
		return s.Text
	})
	none(t, p, cores...)
	p.StopWorker()
	none(t, p, cores...)
}
