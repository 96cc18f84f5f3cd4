package shell

import "testing"

func TestLintersAndFormattersCheckTheLayout(t *testing.T) {
	for command, want := range map[string]bool{
		"npx eslint .": true, "npm run lint:fix": true, "make format": true, "cargo fmt --check": true,
		"golangci-lint run ./...": true, "ruff check .": true, "black --check src": true,
		"cd web && npx prettier --check .": true, "ruff check . && pytest -q": false, "make lint test": false,
		"go vet ./... && golangci-lint run && go test ./...": false, "pytest tests/test_style.py": false,
		"cargo test fmt": false, "go test ./internal/fmt": false, "python -m black .": true,
		"go test ./...": false, "bash deploy.sh": false, "node dist/information.js": false, "npm run build": false,
	} {
		if got := ChecksLayout(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}
