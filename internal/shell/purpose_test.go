package shell

import (
	"slices"
	"strings"
	"testing"
)

func TestDeliveryNamesHowWorkIsHandedOver(t *testing.T) {
	for line, want := range map[string]string{
		"git push -u origin fee": "push", "cd web && git push": "push", "rtk git push origin main": "push",
		"git -C web push":   "push",
		"git -c a.b=c push": "push", "git push --dry-run": "", "git stash push": "", `git commit -m "push the release"`: "",
		"git commit -m \"$(cat <<'EOF'\npublish the fee\nEOF\n)\"": "",
		"npm publish": "publish", "pnpm -r publish --access public": "publish", "npm run deploy:eu": "deploy",
		"make release VERSION=1.2": "release", "./scripts/deploy.sh eu": "deploy", "gh pr merge 7 --squash": "merge",
		"gh release create v1.2": "release", "gh release view v1.2": "", "gh pr create --title release": "",
		"kubectl get deploy": "", "cat deploy.sh": "", "grep -r publish src": "", "go test ./release": "",
		"go build ./... && twine upload dist/fee.whl": "upload",
	} {
		if got := Delivery(line); got != want {
			t.Errorf("%q delivers by %q, want %q", line, got, want)
		}
	}
}

func TestChecksNamesWhatIsChecked(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...": "test", "npm test": "test", "bun run test:unit": "test", "pytest -q": "test",
		"rtk test bun run test": "test", "npm run lint && npx tsc --noEmit": "lint types", "make build check": "build check",
		"test -f go.mod": "", "cat test": "", "git commit -m test": "", "go vet ./...": "types", "npx eslint .": "lint",
		"docker compose exec web pytest": "test", "CI=1 npm run typecheck": "types", "": "",
	} {
		if got := strings.Join(Checks(line), " "); got != want {
			t.Errorf("%q checks %q, want %q", line, got, want)
		}
	}
}

func TestGitHubSaysWhetherChecksFailed(t *testing.T) {
	for _, c := range []struct {
		line, output  string
		failed, known bool
	}{
		{"gh run view 7 --json conclusion", `{"conclusion":"failure"}`, true, true},
		{"rtk gh api /repos/a/b/actions/runs", "{\"conclusion\": \"success\"}\n{\"conclusion\": \"failure\"}", true, true},
		{"gh run view 7 --json conclusion", `{"conclusion":"success"}`, false, true},
		{"gh run view 7 --json conclusion", `{"conclusion":null}`, false, false},
		{"gh pr checks 7", "test\tfail\t1m\thttps\nlint\tpass\t1m\thttps\n", true, true},
		{"gh run list", "completed\tsuccess\tfee\ncompleted\tfailure\tfee\n", false, true},
		{"cat run.json", `{"conclusion":"failure"}`, false, false},
	} {
		if failed, known := ChecksFailed(c.line, c.output); failed != c.failed || known != c.known {
			t.Errorf("%s: %s: got %v, %v", c.line, c.output, failed, known)
		}
	}
}

func TestACommandThatOnlyShowsMakesNothing(t *testing.T) {
	for line, want := range map[string]bool{
		"ls -l": true, "git log": true, "sed -n 1,9p fee.go": true, "": true,
		"git commit": false, "sed -i s/a/b/ fee.go": false, "make": false, "git": false,
	} {
		if got := OnlyShows(line); got != want {
			t.Errorf("%q: got %v", line, got)
		}
	}
}

func TestWhatGivesCommitsOtherHashes(t *testing.T) {
	for line, want := range map[string][2]bool{
		"git commit --amend --no-edit":                {true, false},
		"git -C api commit -q --amend -m x":           {true, false},
		"git pull --rebase origin main && git push":   {false, true},
		"git fetch && git rebase origin/main":         {false, true},
		"git commit -m 'docs: say when to rebase'":    {false, false},
		"git log --grep=rebase":                       {false, false},
		"git pull":                                    {false, false},
		"echo 'git rebase' >> notes; grep -r amend .": {false, false},
		"git commit -m 'tests: cover commit --amend'": {false, false},
	} {
		if last, all := Rewrites(line); last != want[0] || all != want[1] {
			t.Errorf("%s: last %v, all %v, want %v", line, last, all, want)
		}
	}
}

func TestTheWorkOfALineIsWithoutWhatFiltersShowsAndRecords(t *testing.T) {
	for line, want := range map[string][]string{
		"bun run test 2>&1 | tail -4 && bun run lint | grep -c err":         {"bun run test", "bun run lint"},
		"cd api && KEY=1 make test > out.txt":                               {"KEY=1 make test"},
		"wrap test bun run test":                                            {"wrap test bun run test"},
		"python3 - <<'EOF'\nprint(1); run()\nEOF":                           {"python3 -"},
		`git add a && git commit -m "$(cat <<'EOF' Round; fix it EOF )"`:    nil,
		"wrap git status && git -C /x diff":                                 nil,
		"sed -n '1,9p' a.txt | cat -A || wrap grep -i fee docs 2>/dev/null": nil,
	} {
		if got := Work(line); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
