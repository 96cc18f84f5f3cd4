package redact

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

const pat = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

func TestAMarkerNamesTheKind(t *testing.T) {
	if got, want := new(Redactor).Text("use "+pat+" now"), "use [secret:github-pat] now"; got != want {
		t.Errorf("without a key: %q, want %q", got, want)
	}
	redactor := &Redactor{Key: []byte("k")}
	got := redactor.Text(pat + " " + pat + " ghp_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz")
	m := regexp.MustCompile(`^(\[secret:github-pat:[0-9a-f]{4}\]) (\S+) (\S+)$`).FindStringSubmatch(got)
	if m == nil || m[1] != m[2] || m[1] == m[3] {
		t.Errorf("with a key: %q, want equal markers for equal secrets only", got)
	}
	if other := (&Redactor{Key: []byte("other")}).Text(pat); strings.HasPrefix(got, other) {
		t.Errorf("another key gives the same marker %q", other)
	}
}

func TestSecretsAreCountedByKind(t *testing.T) {
	redactor := &Redactor{}
	redactor.Text(pat + " and " + pat + " and my password is hunter2")
	got := redactor.Counts().Secrets
	if got["github-pat"] != 2 || got["password"] != 1 || len(got) != 2 {
		t.Errorf("Counts().Secrets = %v, want github-pat 2, password 1", got)
	}
}

// contexts are texts with a secret, %s.
var contexts = []string{
	"DB_PASSWORD=%s\n", "export PGPASSWORD='%s'", "password: %s\n", `{\"passwd\": \"%s\"}`, "mysql -u root -p%s app",
	"my password is %s", "Server=db;User Id=sa;Password=%s;Encrypt=true", "<password>%s</password>",
	"curl -u admin:%s https://h/", "machine h login bob password %s", "psql postgres://app:%s@db:5432/x",
	"echo %s | sudo -S apt update",
}

func TestConcurrentUse(t *testing.T) {
	redactor := &Redactor{Key: []byte("k"), Rules: []Rule{{Name: "badge", Pattern: `EMP-\d{6}`}}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, c := range contexts {
				redactor.Text(strings.ReplaceAll(c, "%s", pat) + " EMP-123456")
			}
		})
	}
	all.Wait()
	if got, want := redactor.Counts().Secrets["badge"], 8*len(contexts); got != want {
		t.Errorf("%d badges counted, want %d", got, want)
	}
}

func TestUserRulesRedact(t *testing.T) {
	redactor := &Redactor{Rules: []Rule{{Name: "Badge No.", Pattern: `EMP-\d{6}`}, {Name: "", Pattern: `pin (\d{4})`}}}
	in, want := "EMP-123456 has pin 9876", "[secret:badge-no] has pin [secret:custom]"
	if got := redactor.Text(in); got != want {
		t.Errorf("Text(%q) = %q, want %q", in, got, want)
	}
	if errs := redactor.Errors(); errs != nil {
		t.Errorf("Errors() = %v, want none", errs)
	}
}

func TestABadUserRuleIsReportedAndSkipped(t *testing.T) {
	redactor := &Redactor{Rules: []Rule{
		{Name: "paren", Pattern: `(`},
		{Name: "too many", Pattern: `x{1001}`},
		{Name: "nothing", Pattern: `y*`},
		{Name: "good", Pattern: `EMP-\d{6}`},
	}}
	if got, want := redactor.Text("EMP-123456 "+pat), "[secret:good] [secret:github-pat]"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	errs := redactor.Errors()
	if len(errs) != 3 {
		t.Fatalf("Errors() = %v, want three", errs)
	}
	for i, name := range []string{"paren", "too many", "nothing"} {
		if !strings.Contains(errs[i].Error(), name) {
			t.Errorf("error %d = %q, want it to name %q", i, errs[i], name)
		}
	}
}

func TestRedactingTwiceIsRedactingOnce(t *testing.T) {
	redactor := &Redactor{Key: []byte("k"), Rules: []Rule{{Name: "word", Pattern: `x\w+`}}}
	rapid.Check(t, func(t *rapid.T) {
		once := redactor.Text(drawText(t))
		if twice := redactor.Text(once); twice != once {
			t.Fatalf("second pass of %q gives %q", once, twice)
		}
	})
}

func TestSecretIsRedactedBesideAnyText(t *testing.T) {
	redactor := &Redactor{}
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawText(t), drawText(t)
		if got := redactor.Text(before + " " + pat + " " + after); strings.Contains(got, "56789abcdefghij") {
			t.Fatalf("%q and %q: %q", before, after, got)
		}
	})
}

func FuzzRedact(f *testing.F) {
	for _, p := range pieces {
		f.Add(p, "x", `x+`)
	}
	for _, c := range contexts {
		f.Add(strings.ReplaceAll(c, "%s", "hunter2!"), "tail", `(`)
	}
	f.Add("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", `\b`)
	f.Fuzz(func(t *testing.T, before, after, pattern string) {
		redactor := &Redactor{Rules: []Rule{{Name: "fuzzed", Pattern: pattern}}}
		once := redactor.Text(before + " " + pat + " " + after)
		if strings.Contains(once, pat) {
			t.Errorf("secret survives: %q", once)
		}
		if twice := redactor.Text(once); twice != once {
			t.Errorf("%q, then %q", once, twice)
		}
	})
}
