package redact

import "testing"

// What agents read all day and what only speaks of secrets.
func TestWhatOnlySpeaksOfSecretsStays(t *testing.T) {
	for _, s := range []string{
		// Names of resources, pages of lists, versions of packages.
		"arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1B2c3", `"AWS::IAM::AccessKey": "72c2d9dd90025459"`, "urn:ietf:params:oauth:token:saml2-Bearer1",
		`{"NextToken": "9f4d9f69-275a-41fe-b58e-2b837bd9ba48"}`, "nextPageToken=CAUQAA7bX9kQ2wLm4t", "--change-token 12cs3457-67cd-890b", `"clientRequestToken": "3f0c12Example99"`,
		"ii  passwd  1:4.13+dfsg1-1  amd64  change and administer password", "passwd 4.18.2-r1", `'Test2::Event::Pass' => '1.302140',`,
		// A list of words, and words that stand one after the other.
		`["for", "pass", "print"]`, `'lambda', 'nogil', 'pass', 'return'`, `{"text": "prompts for password", "metadata": {"project": "p"}}`,
		"syn keyword pf\tpasswd\tmore\nsyn keyword pf\tnetwall\tmore\n", "yppasswdd\t100009\typpasswd\nnfs\t100003\tnfsprog\n",
		// Code that hands one on.
		"\tact.pass = pass\n", "exports.CUSTOM_AUTH_START = exports.CUSTOM_AUTH_START;\n", "AUTH_DROP = C.NL_AUTH_DROP_START\n", "if token.typ != yaml_FLOW_MAPPING_START_TOKEN {",
		"pass := !isEmpty(object)", "secret := &tls.Config{Rand: r}", "ACTION_PASS = \"pass\"",
		// Sentences.
		"Adds a --password flag to parser.", "use the `--password` option instead", "--no-ask-password --no-block", "seconds to pass to httplib2", "proto://username:password@hostname.com/x",
		"whether a new password is included in the request", `METHOD can be "trust", "password", "scram-sha-256"`, "PASSWORD_COMMAND=pass-otp-show1", "session = X-aws-ec2-metadata-token-ttl-seconds",
	} {
		if got := new(Door).Text(s); got != s {
			t.Errorf("Text(%q) = %q, want it unchanged", s, got)
		}
	}
}
