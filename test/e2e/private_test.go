//go:build e2e

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// leaks lists the files of ours that hold one of the words, as they are on the disk.
func (u *user) leaks(words ...string) []string {
	u.t.Helper()
	var out []string
	for _, dir := range []string{".local", ".config", ".cache"} {
		err := filepath.WalkDir(filepath.Join(u.home, dir), func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains(file, "claude") || strings.Contains(file, "/opencode/") {
				return nil // what the clients keep themselves
			}
			b, err := os.ReadFile(file)
			for _, w := range words {
				if err == nil && strings.Contains(string(b), w) {
					out = append(out, filepath.Base(file)+" holds "+w)
				}
			}
			return err
		})
		if err != nil {
			u.t.Fatal(err)
		}
	}
	return out
}

const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyzA"

func TestPrivateTextAndSecretsReachNoFile(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.write(filepath.Join(u.project(""), ".env"), "GITHUB_TOKEN="+token+"\n")
	u.run(session{
		script: script(
			bash("cat .env; echo Authorization: Bearer "+token),
			reads(".env"),
			bash("GITHUB_TOKEN="+token+" sh check.sh"),
			says("Careful: the token "+token+" must not be in a file."),
			says("I decided to use a ballista instead of a catapult."),
		),
		prompts: []string{
			"check the token " + token + " <private>my cat is called Mitzi-77</private> and remember that the mast is 30 m high",
			"what shall we throw with?",
		},
	})
	u.keeps("the mast is 30 m high")
	u.keeps("ballista")
	if left := u.leaks(token, "Mitzi-77"); len(left) > 0 {
		t.Errorf("on the disk: %v", left)
	}
}

func TestAPrivateTurnLeavesNoByte(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{
		script: scene(map[string]any{"conversations": []any{map[string]any{
			"name": "sub", "match": "look for Mitzi", "on": "first",
			"turns": []turn{says("The root cause is that Mitzi-73 sleeps all day long.")},
		}}},
			bash("echo seen Mitzi-74"),
			bash("echo no Mitzi-75 >&2; exit 4"),
			calls("Write", map[string]any{"file_path": "@CWD@/Mitzi-76.txt", "content": "Mitzi-77"}),
			launches("look for Mitzi-78", false),
			says("I decided to call it Mitzi-79 instead of Felix."),
			says("I decided to use a ballista instead of a catapult."),
		),
		prompts: []string{"<private>my cat is called Mitzi-72</private>", "what shall we throw with?"},
	})
	u.keeps("ballista")
	if left := u.leaks("Mitzi-72", "Mitzi-73", "Mitzi-74", "Mitzi-75", "Mitzi-76", "Mitzi-77", "Mitzi-78",
		"Mitzi-79"); len(left) > 0 {
		t.Errorf("on the disk: %v", left)
	}
}

func TestForgottenMemoriesAreNotInjectedAndPurgedOnesAreErased(t *testing.T) {
	u := learned(t)
	hidden, gone := u.keeps("jittered backoff"), u.keeps("must not hold a unit")
	for _, m := range u.finds("backoff") { // the summary of the turn quotes it
		u.remanence("forget", m.ID)
	}
	r := u.run(session{script: script(reads("retry.conf"), says("I know.")), prompts: []string{aboutSending}})
	wants(t, "after forget", r.injected(), "must not hold a unit")
	wantsNot(t, "after forget", r.injected(), "jittered backoff", hidden.ID+" ")
	for found := u.finds("unit"); len(found) > 0; found = u.finds("unit") { // with each goes what says the same
		u.remanence("purge", found[0].ID, "--yes")
	}
	r = u.run(session{script: script(reads("retry.conf"), says("I know.")), prompts: []string{aboutSending}})
	wantsNot(t, "after purge", r.injected(), "must not hold a unit", gone.ID+" ")
	if left := u.leaks("must not hold a unit"); len(left) > 0 {
		t.Errorf("on the disk after purge: %v", left)
	}
}
