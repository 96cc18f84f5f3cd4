//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// relay lays out a small HTTP service: it takes webhooks in and hands them on.
func (u *user) relay() {
	u.t.Helper()
	for name, text := range map[string]string{
		"worker.py": "import queue\n\nVISIBILITY = 10  # seconds until a delivery is handed out again\n\ndef " +
			"deliver(item):\n    item.receiver.post(item.body)\n",
		"handlers.py": "def show(request):\n    return ok(store.get(request.id))\n",
		"fanout.py":   "def fan_out(event):\n    for r in receivers(event):\n        r.post(event.body)\n",
		"test.sh": "grep -q 'VISIBILITY = 10 ' worker.py && { echo 'FAIL: delivery 17 was sent 2 times, want 1' >&2; " +
			"exit 1; }\necho 'ok, 41 tests'\n",
		"bench.sh": "[ \"$1\" = --seed ] || [ -e .seeded ] || { echo 'error: no receivers in the database' >&2; exit 2; " +
			"}\ntouch .seeded\necho 'fan-out of 500: 2.1 s'\n",
	} {
		u.write(filepath.Join(u.project(""), name), text)
	}
}

// week is five sessions of work on the service, each with its prompt.
func week() []session {
	return []session{
		{
			prompts: []string{"A customer says that some webhooks reach him twice. Please find out why and fix it."},
			script: script(
				bash("sh test.sh"),
				reads("worker.py"),
				edits("worker.py", "VISIBILITY = 10 ", "VISIBILITY = 45 "),
				bash("sh test.sh"),
				says("The tests pass now. The root cause was the visibility timeout of 10 seconds: slow receivers take longer, "+
					"so the queue handed "+
					"the same delivery to a second worker. I raised it to 45 seconds in worker.py."),
			),
		},
		{
			prompts: []string{"Where should the signing keys of our customers be kept? They are in the environment today."},
			script: script(says("I would move them. We decided to keep the signing keys in Postgres, encrypted with the KMS " +
				"key, instead of " +
				"environment variables, because a customer has to be able to rotate a key without a deploy.")),
		},
		{
			prompts: []string{"Add an endpoint that lists failed deliveries. From now on every handler returns its errors as " +
				"problem+json, never as plain text."},
			script: script(
				reads("handlers.py"),
				edits("handlers.py", "def show", "def failed(request):\n    return ok(store.failed())\n\n\ndef show"),
				says("GET /deliveries?state=failed is there now, and both handlers answer errors as problem+json."),
			),
		},
		{
			prompts: []string{"The fan-out takes two seconds for 500 receivers. Can you make it faster?"},
			script: script(
				bash("sh bench.sh"),
				bash("sh bench.sh --seed"),
				reads("fanout.py"),
				edits("fanout.py", "for r in receivers(event):", "for batch in chunks(receivers(event), 50):"),
				says("It takes 0.4 seconds now. I tried a thread for each receiver first, which does not work: the connection "+
					"pool runs dry at about 200 "+
					"and the rest times out. I settled on batches of 50 receivers. Note that bench.sh only works with --seed on a "+
					"fresh checkout."),
			),
		},
		{
			prompts: []string{"Write a short runbook for an outage of the queue, please."},
			script: script(
				calls("Write", map[string]any{
					"file_path": "@CWD@/docs/outage.md",
					"content":   "# Outage of the queue\n\n1. Stop the workers.\n2. Wait.\n",
				}),
				says("The runbook is in docs/outage.md. Still open: nobody is alerted when the dead-letter queue grows, there "+
					"is no metric for it yet."),
			),
		},
	}
}

// recalled is the injection with a prompt, best first, and what was left out.
type recalled struct {
	Asked          string
	Tokens, Budget int
	Items          []struct{ Title string }
	Dropped        []struct {
		Title, Gate string
		Score       float64
	}
	Text string
}

func TestAWeekOfWorkIsRecalledByParaphrase(t *testing.T) {
	u := newUser(t)
	u.relay()
	for _, s := range week() {
		u.run(s)
	}
	u.remanence("config", "set", "hooks.session_start.token_budget", "0") // else it is injected already
	u.remanence("config", "set", "nudge.every", "never")
	for _, ask := range []struct{ prompt, first string }{
		{"A receiver got the same delivery two times, didn't we have that before?", "visibility timeout"},
		{"why would two workers ever pick up one delivery?", "visibility timeout"},
		{"Where do the signing keys live, and why not simply in env vars?", "KMS key"},
		{"what format do our handlers use for errors?", "problem+json"},
		{"Couldn't we just start one thread per receiver?", "connection pool runs dry"},
		{"which batch size did we end up with for the fan-out?", "batches of 50"},
		{"bench.sh dies on my fresh clone, what did I forget?", "--seed"},
		{"is anybody told when dead letters pile up?", "nobody is alerted"},
	} {
		foreseen := u.remanence("next", "--prompt", ask.prompt)
		r := u.run(session{script: script(says("Thank you.")), prompts: []string{ask.prompt}})
		var got recalled
		u.asks(&struct{ Receipt *recalled }{&got}, "why")
		if got.Asked != ask.prompt { // of an earlier prompt with an injection
			t.Errorf("%q gets no injection, want %q:\n%s", ask.prompt, ask.first, foreseen)
			continue
		}
		if !strings.Contains(got.Items[0].Title, ask.first) &&
			(len(got.Items) < 2 || !strings.Contains(got.Items[1].Title, ask.first)) {
			t.Errorf("%q\n gets %v,\n left out %v,\n want %q among the first two:\n%s", ask.prompt, got.Items, got.Dropped,
				ask.first,
				foreseen)
		}
		if got.Tokens > got.Budget+60 {
			t.Errorf("%q gets %d tokens, its budget is %d and the frame", ask.prompt, got.Tokens, got.Budget)
		}
		if !strings.Contains(r.last(), got.Text) {
			t.Errorf("%q: the model did not get what the receipt says", ask.prompt)
		}
	}
	for _, p := range []string{
		"what is the difference between a mutex and a semaphore?",
		"please write a haiku about the first snow",
		"how do I centre a div horizontally and vertically?",
		"explain git rebase to a junior colleague",
		"what's the weather usually like in Lisbon in May?",
		"convert 72 degrees Fahrenheit to Celsius",
		"suggest three names for a black cat",
	} {
		r := u.run(session{script: script(says("Certainly.")), prompts: []string{p}})
		if said := r.injected(); said != "" {
			t.Errorf("%q has nothing to do with the service and gets\n%s", p, said)
		}
	}
}
