package shell

import "testing"

func TestACommandCalledAnewIsTheSameCommand(t *testing.T) {
	for _, tt := range []struct {
		worked, failed string
		want           bool
	}{
		{"bun run test", "rtk bun run test", true},
		{"npx vitest run", "vitest run", true},
		{"docker compose exec pytest -q", "pytest -q", true},
		{"test", "rtk test", false},
		{"echo make test", "make test", false},
		{"go test ./a", "go test ./b", false},
		{"make test; true", "make test", false},
	} {
		if got := CalledAnew(tt.worked, tt.failed); got != tt.want {
			t.Errorf("%q after %q: got %v, want %v", tt.worked, tt.failed, got, tt.want)
		}
	}
}

func TestOnlyManagersOfPackagesInstallForOneAnother(t *testing.T) {
	for _, tt := range []struct {
		worked, failed string
		want           bool
	}{
		{"uv add pandas", "pip install pandas", true},
		{"sudo apt-get install jq", "brew install jq", true},
		{"pnpm add -D zod", "npm install zod", true},
		{"pip install .", "git add .", false},
		{"pip install -r requirements.txt", "git add requirements.txt", false},
		{"npm install zod", "npm i zod", false},
	} {
		if got := Installs(tt.worked, tt.failed); got != tt.want {
			t.Errorf("%q for %q: got %v, want %v", tt.worked, tt.failed, got, tt.want)
		}
	}
}
