package redact

import (
	"fmt"
	"strings"
	"testing"
)

// In an event, a command and its output are two members.
func TestOutputOfSecretCommandsIsRedacted(t *testing.T) {
	for _, command := range []string{
		"cat /run/secrets/db_password", "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
		"cd /srv && printenv DB_PASSWORD", "sudo cat .vault_pass",
	} {
		in := fmt.Sprintf(`{"tool_input":{"command":%q},"tool_response":{"stdout":"Winter-2024\n","stderr":""}}`, command)
		if got := object(t, in); strings.Contains(string(got.JSON), "Winter-2024") ||
			!strings.Contains(string(got.JSON), command) {
			t.Errorf("Object(%s) = %s", in, got.JSON)
		}
	}
	for _, in := range []string{
		`{"tool_input":{"command":"cat VERSION"},"tool_response":{"stdout":"Winter-2024\n"}}`,
		`{"tool_input":{"command":"cat token_test.go"},"tool_response":{"stdout":"func main() {}\n"}}`,
		`{"tool_input":{"command":"cat .vault_pass"},"tool_response":{"stdout":"nothing here\n"}}`,
		`{"tool_input":{"command":"echo $DB_PASSWORD | wc -c"},"tool_response":{"stdout":"17\n"}}`,
	} {
		if got := object(t, in); string(got.JSON) != in {
			t.Errorf("Object(%s) = %s, want it unchanged", in, got.JSON)
		}
	}
}
