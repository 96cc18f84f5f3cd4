package secrets

import (
	"math/rand/v2"
	"testing"
)

// lookalikes are texts without a secret that have the form or the place of one; see draw for the signs in them.
var lookalikes = []string{
	// Hashes, ids, versions.
	"commit ~{40}", "Merge ~{7} into ~{7}", "sha256:~{64}", "integrity sha512-#{86}==", "md5 ~{32}",
	"ETag: \"~{32}\"", "X-Request-Id: ~{8}-~{4}-~{4}-~{4}-~{12}", "x-amz-request-id: ^{16}", "x-amz-id-2: #{60}=",
	"X-Trace-Id: ~{32}", "traceparent: 00-~{32}-~{16}-01", "If-None-Match: \"~{40}\"", "digest: sha256:~{64}",
	"image: app@sha256:~{64}", "session ~{8}-~{4}-~{4}-~{4}-~{12} started", "id: ~{8}-~{4}-~{4}-~{4}-~{12}",
	"\"_id\": \"~{24}\"", "req_#{24}", "msg_01#{22}", "toolu_01#{22}", "cus_#{14}", "acct_1#{15}", "price_1#{23}",
	"pi_3#{23}", "evt_1#{23}", "run_#{24}", "chatcmpl-#{29}", "thread_#{24}", "asst_#{24}", "i-0~{16}", "vpc-0~{16}",
	"sg-0~{16}", "ami-0~{16}", "subnet-0~{16}", "arn:aws:iam::123456789012:role/deploy-role-^{12}",
	"projects/p1/secrets/db-password/versions/3", "v1.2.3-rc.4+build.567", "go 1.26.8",
	"github.com/x/y v0.0.0-20260102030405-~{12}", "h1:#{43}=", "build 20260102.7 of ~{10}", "PR #1234 (~{9})",
	"index ~{7}..~{7} 100644", "@@ -12,7 +12,9 @@ func TestKey()", "Version: 2026.01.02-~{8}", "revision = \"~{40}\"",
	"git_commit=~{40}", "GIT_SHA=~{40}", "GITHUB_SHA=~{40}", "CI_COMMIT_SHA: ~{40}", "cache-key: linux-go-~{64}",
	"key: node-modules-~{64}", "checksum = \"~{64}\"", "build_id: ~{40}", "container ~{12} exited",
	"snapshot ~{64} saved", "blob ~{40}", "tree ~{40}", "parent ~{40}", "etag = \"~{32}-4\"", "Content-MD5: #{22}==",
	"uuid=~{8}-~{4}-~{4}-~{4}-~{12}", "UUID=~{8}-~{4}-~{4}-~{4}-~{12} / ext4 defaults 0 1", "0x~{40}", "tx 0x~{64}",
	"color: #~{6}; border: #~{8}",
	"{\"type\": \"token\", \"turn_id\": \"~{8}-~{4}-~{4}-~{4}-~{12}\"}",
	"google.golang.org/api v0.10.0/go.mod h1:#{43}=", "cloud.google.com/go/auth v0.23.2 h1://#{41}=",
	// Names of vendors with what is no key.
	"STRIPE_ACCOUNT_ID=acct_1#{15}", "STRIPE_PRICE=price_1#{23}", "stripe: ^14.2.0", "\"openai\": \"^4.28.0\"",
	"github: bob123", "GITHUB_RUN_ID=1234567890", "GITHUB_REPOSITORY=acme/web2",
	"GITHUB_REF=refs/heads/fix-123-login", "SLACK_CHANNEL=C0^{9}", "DATADOG_SITE=us5.datadoghq.com",
	"datadog: enabled", "SENTRY_RELEASE=web@1.2.3+~{8}", "SENTRY_ENVIRONMENT=production2",
	"CLOUDFLARE_ACCOUNT_ID=~{32}", "CLOUDFLARE_ZONE_ID=~{32}", "X-GitHub-Request-Id: ^{4}:^{6}:^{7}",
	"CF-Ray: ~{16}-FRA", "X-Shopify-Shop-Id: 12345678901", "x-github-delivery: ~{8}-~{4}-~{4}-~{4}-~{12}",
	"openai-organization: org-#{24}", "slack: https://acme.slack.com/archives/C0^{9}/p1700000000123456",
	"twilio_sid: AC~{32}", "TWILIO_ACCOUNT_SID=AC~{32}", "AWS_REGION=eu-central-1", "aws_instance.web2",
	"AZURE_TENANT_ID=~{8}-~{4}-~{4}-~{4}-~{12}", "firebase.json", "AZURE_CLIENT_ID=~{8}-~{4}-~{4}-~{4}-~{12}",
	"gitlab.example.com/group/project/-/jobs/1234567", "npm run build:prod2", "mongodb version v7.0.4 git ~{40}",
	"stripe/stripe-go/v76", "anthropic-version: 2023-06-01", "model: claude-3-5-sonnet-20241022", "notion page ~{32}",
	"https://www.figma.com/file/#{22}/Design", "https://trello.com/c/#{8}/12-fix-login",
	"https://app.asana.com/0/1201234567890123/1201234567890456", "linear issue ENG-1234", "sentry issue WEB-2F7",
	"OpenAI and Anthropic both ship gpt4o and claude3 clients", "the Stripe integration (v3, 2024-06-20) is live",
	// Calls with what is no key.
	"NewClient(\"https://api.example.com/v2\")", "new Client('localhost', 5432)",
	"Client(\"~{8}-~{4}-~{4}-~{4}-~{12}\")", "redis.NewClient(\"cache.internal:6379\")",
	"boto3.client('secretsmanager', 'eu-west-1')", "storage.NewClient(ctx, \"my-project-123456\")",
	"getUser(\"~{24}\")", "api.get('/v1/users/~{24}')", "client.checkout(\"~{40}\")", "repo.commit('~{40}')",
	"Auth(\"basic\")", "connect('postgres', 'localhost', 'app2')",
	"http.NewRequest(\"GET\", \"https://x.io/a1b2\", nil)", "sha256.Sum256(\"abc123def\")",
	"expect(hash('hello1')).toBe('~{64}')", "assertEquals(\"~{32}\", md5(\"x\"))", "new ObjectId('~{24}')",
	"uuid.Parse(\"~{8}-~{4}-~{4}-~{4}-~{12}\")", "login('alice', expectedPassword)",
	"client.login(username, password)", "new Stripe(process.env.STRIPE_SECRET_KEY)",
	"OpenAI(api_key=os.environ[\"OPENAI_API_KEY\"])", "Github(token)", "TelegramBot(config.telegram.token)",
	"docker.Client('unix:///var/run/docker.sock')", "cloudinary.Image('sample_photo_2024.jpg')",
	"analytics.track('signup_completed_v2')", "bigquery.Client('acme-prod-123456')",
	"t.Run(\"TestClientRetries3TimesOn503\")", "func TestNewClientWithKey2(t *testing.T) {",
	"it('returns 401 for key A1B2')", "new Connection('mysql', 'db2.internal', 'shop_production')",
	"grpc.NewClient(\"dns:///svc.ns1:8443\")",
	// Tables and lists.
	"| Name | Password policy |\n|---|---|\n| prod2 | 12 characters |\n",
	"| Key | Action |\n|---|---|\n| Ctrl+K | open2 |\n| F12 | tools |\n",
	"| Token | Meaning |\n|---|---|\n| IDENT1 | identifier |\n",
	"| Test | Pass |\n|---|---|\n| TestLogin2 | 12/12 |\n", "| Metric | Tokens |\n|---|---|\n| input | 12345 |\n",
	"| key | type |\n|---|---|\n| user_id | int64 |\n",
	"| Secret | Mounted at |\n|---|---|\n| db-creds-2 | /etc/db |\n",
	"NAME            TYPE     DATA   AGE\ndb-secret-2     Opaque   3      5d\n",
	"| Service | Key |\n|---|---|\n| web | ENG |\n", "KEY        VALUE\nreplicas   3\nimage      app:v1.2.3\n",
	"Password\nForgot your password?\n", "Password:\nat least 12 characters\n",
	"- Password\n  - must have 12 characters\n", "API key\n=======\nSend the key in a header.\n",
	"## Token\n\nThe tokenizer returns one token.\n", "API key:\n\n- go to settings2\n",
	"### Password reset\n\nTestPasswordReset2 covers it.\n", "Secret\n\nSee docs/secrets2.md for it.\n",
	"Token\nType2\nValue3\n", "user, password, role\nstring, string, enum2\n",
	"key,value\nretries,3\nregion,eu-west-1\n", "- API key\n- Region eu-west-1\n", "Keys\n  id1\n  id2\n",
	"<th>Password</th><th>Role2</th>", "<label>Password</label><input id=\"pw1\">",
	"<td>Token count</td><td>12345</td>", "<dt>Key</dt><dd>F12</dd>", "| password | varchar(255) |",
	"| api_key | string | yes |", "password      varchar(64)\ntoken         char(32)\n", "Password  Required2\n",
	"primary key  | id1\n", "{\"label\": \"API key\", \"content\": \"Where do I find it?\"}",
	"{\"field\":\"password\",\"message\":\"too short\"}", "{\"type\":\"password\",\"label\":\"New password\"}",
	"{\"key\":\"user1\",\"value\":\"bob2\"}", "[\"token\", \"string\"]",
	// Encodings.
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA#{200}", "data:font/woff2;base64,d09GMgABAAAAA#{120}",
	"src=\"/9j/4AAQSkZJRg#{100}\"", "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozfQ==",
	"caf&eacute; &amp; bar &#8211; 12&#xa0;kg", "100%25 of %s", "https://x.io/?q=a%20b%2Fc&page=2",
	"\"na\\u00efve caf\\u00e9 \\u2013 ok\"", "全角：ＡＢＣ１２３", "ｔｅｓｔ：１２３４", "zero\u200bwidth text 42",
	"“smart quotes” and ‘others’ – 2024", "a\u00a0b\u00a0c 12", "soft\u00adhyphen\u00adated words",
	"x = \"abc\" + \"def123\"", "SGVsbG8sIHdvcmxkISBUaGlzIGlzIGEgdGVzdCBvZiBiYXNlNjQu",
	"48656c6c6f2c20776f726c6421205468697320697320612074657374", "<SignatureValue>#{86}==</SignatureValue>",
	"<DigestValue>#{43}=</DigestValue>", "<Modulus>#{86}==</Modulus><Exponent>AQAB</Exponent>",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI#{43} bob@host", "publicKey: #{43}=", "<PublicKey>#{43}=</PublicKey>",
	"Fingerprint SHA256:#{43}",
	"fingerprint: ~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}",
	"pub:\n    04:~{2}:~{2}:~{2}:~{2}:~{2}\n", "link/ether 02:42:~{2}:~{2}:~{2}:~{2} brd ff:ff:ff:ff:ff:ff",
	"modulus:\n    00:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}:~{2}\n",
	// Paths, names of tests, code.
	"/home/bob/.cache/go-build/~{2}/~{64}-d", "node_modules/.pnpm/@aws-sdk+client-s3@3.521.0/dist",
	"TestSecretRotation2/with_expired_token_3", "internal/redact/secrets/rules_test.go:123",
	"spec/models/api_key_spec.rb:45:in `token'", "func hashPassword2(p string) string {",
	"const AKIAPrefixLength = 20", "half_~{32}", "shelf_life_of_products_in_days_2", "task-1234567890abcdef",
	"disk-0~{16}", "self_ref_check_v2", "deployAkiaFollowUp2", "npm_config_registry_timeout_seconds_2",
	"gh_pages_branch_deploy_2026", "skeleton-loader-v2-animation-frames", "--stripe-version 2024-06-20",
	"--github-ref refs/pull/12/merge", "--slack-channel C0^{9}", "--key=value1", "--auth basic", "--commit ~{40}",
	"--tag v1.2.3-~{8}", "--revision=~{40}", "--id ~{24}", "--hash sha256:~{64}", "--jwt", "--openai --verbose2",
	"https://x.io/callback?code=404", "https://x.io/?code=E1234", "https://x.io/a?sig=none", "nats://localhost:4222",
	"postgres://localhost/db2", "slack://channel?id=C0^{9}", "s3://bucket-2024/path/~{32}.parquet",
	"redis://cache2:6379/0", "https://bob@x.io/a2", "mongodb://db1,db2,db3/x",
	"(define-key map (kbd \"C-c C-k\") 'kill2)", "<Key>Enter2</Key>",
	"<key>CFBundleVersion</key><string>1.2.3</string>", "<d>2024-01-02</d>",
	"<P>A paragraph of text with 12 words</P>", "<Q>Is it 42?</Q>", "<key name=\"retries\"><value>3</value></key>",
	"Key: Enter2", "pass 12 of 14", "token 17 of 2048 in batch3", "unexpected token 'f00' at 12:7",
	"invalid token u00e9 in JSON at position 42",
	// Further ones, written after the rules.
	"fileId: '1#{43}'", "docId=1#{43}", "https://docs.google.com/document/d/1#{43}/edit",
	"https://drive.google.com/file/d/1#{32}/view", "VersionId: #{32}", "\"NextToken\": \"#{60}\"", "cursor=#{40}",
	"{\"etag\":\"#{32}\"}", "\"integrity\": \"sha512-#{86}==\"", "sha256-#{43}=",
	"<link integrity=\"sha384-#{64}\" crossorigin>", "script-src 'nonce-#{22}==' 'sha256-#{43}='",
	"Public key: #{43}=", "publicKey = \"#{43}=\"", "PublicKey = #{43}=", "AllowedIPs = 10.0.0.0/24", "peer: #{43}=",
	"address: '#{44}'", "wallet address 7#{43}", "Qm#{44}", "bafy%{55}",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI#{43} x", "age1%{58}", "SHA256:#{43} bob@x (ED25519)",
	"playlist?list=PL#{32}", "https://youtu.be/#{11}", "getVideoById('#{11}')", "t.equal(hash('x'), '#{43}=')",
	"expect(sign(x)).toBe('#{43}=')", "signature: #{86}==", "Signature=\"#{86}==\"",
	"x-hub-signature-256: sha256=~{64}", "md5sum ~{32}  file.iso", "~{40}  refs/heads/main", "pick ~{7} fix login2",
	"blob:https://x/~{8}-~{4}-~{4}-~{4}-~{12}", "session_id ~{8}-~{4}-~{4}-~{4}-~{12}",
	"\"sessionId\":\"~{8}-~{4}-~{4}-~{4}-~{12}\"", "trace=~{32} span=~{16}", "\"trace_id\":\"~{32}\"",
	"\"request_id\":\"req_#{24}\"", "\"id\":\"msg_#{24}\"", "\"tool_use_id\":\"toolu_#{24}\"",
	"\"uuid\":\"~{8}-~{4}-~{4}-~{4}-~{12}\"", "invoice in_1#{23} paid", "KSUID #{27}", "nanoid #{21}", "ULID 01^{24}",
	"class=\"css-%{7} MuiButton-root2\"", ".sc-#{6}{color:red}", "chunk-^{8}.js", "main.~{20}.js",
	"/_next/static/#{21}/_buildManifest.js", "assets/index-#{8}.css", "webpack:///./src/App.vue?~{4}",
	"docker.io/library/redis:7.2.4-alpine3.19", "registry.x/app:~{40}", "pod/web-7d9f8b6c5d-x2k4p",
	"deployment.apps/api-key-service-5d4f", "Name: db-password-7g8h9k", "secret/db-tls-2024 created",
	"configmap/token-cache-v2 unchanged", "serviceaccount/token-reader-2 created",
	"kubectl get secret db-creds-v2 -n prod-eu1", "vault kv get secret/data/app2/db",
	"aws secretsmanager get-secret-value --secret-id prod/db/pw-AbC123", "gh secret list --env prod2",
	"op://vault/item/password", "{{ .Values.auth.password2 }}", "password: {{ vault_db_password_2024 }}",
	"token = var.github_token_2", "key_name = \"deploy-2024-eu\"", "password_hash_algo: argon2id-v19",
	"api_key_header: X-Api-Key2", "auth_method = \"oauth2-pkce\"", "token_url: https://x/oauth2/token2",
	"TestTokenRefresh2 (0.01s)", "--- FAIL: TestPasswordReset3 (0.00s)", "test_api_key_rotation_2024_q1 PASSED",
	"describe('ApiKeyService2')", "it('hashes password 12 times')", "password must match ^[A-Za-z0-9]{8,64}$",
	"Token expired at 2024-05-06T07:08:09Z", "token count: 12345", "max_tokens: 4096", "tokens/s 87.5",
	"Key Value\nreplicas 3", "keyboard layout de-nodeadkeys2", "keys: [a1, b2, c3]", "primary key (id1, id2)",
	"key=value1&key2=value2", "sort_key = 'created_at_2024'", "KeyError: 'user_2024'", "press any key2",
	"The password field accepts 64 characters.", "Password strength: medium2", "Change password every 90 days",
	"password login disabled 2024", "See password-policy-v2.md", "- Password: see 1Password", "Password: (none)",
	"| password | min 12 chars, 1 digit |", "Password........required", "Password\n\nMust contain 12 characters\n",
	"Auth: OAuth2", "authType: oauth2", "auth = \"none2\"", "Authorization header2 missing", "Bearer realm=\"api2\"",
	"WWW-Authenticate: Digest nonce=\"~{32}\"", "cookie consent v2", "Set-Cookie: lang=en-US2; Path=/",
	"import { createClient2 } from 'redis'", "new Client({ node: 'http://localhost:9200' })",
	"createClient('https://x.supabase.co', anonKey)", "OpenAI({ baseURL: 'http://localhost:11434/v1' })",
	"Client('tcp://10.0.0.1:2375')", "MongoClient('mongodb://localhost:27017/db2')", "Redis('localhost', 6379, 0)",
	"connect('db.internal', 5432, 'shop_v2')", "connect(\"wss://x.io/socket2\")", "bot.command('start2')",
	"stripe.customers.retrieve('cus_#{14}')", "stripe.prices.list({ product: 'prod_#{14}' })",
	"github.rest.pulls.get({ owner: 'acme2', repo: 'web3' })", "slack.chat.postMessage({ channel: 'C0^{9}' })",
	"sentry release abc~{8}", "SENTRY_PROJECT=web-frontend2", "DD_SERVICE=checkout-api2", "DD_ENV=prod-eu1",
	"DD_VERSION=1.2.3-~{8}", "NEW_RELIC_APP_NAME=web2", "HEROKU_SLUG_COMMIT=~{40}", "VERCEL_GIT_COMMIT_SHA=~{40}",
	"NETLIFY_SITE_ID=~{8}-~{4}-~{4}-~{4}-~{12}", "FIREBASE_PROJECT_ID=acme-prod-12345",
	"STRIPE_API_VERSION=2024-06-20", "OPENAI_MODEL=gpt-4o-2024-08-06", "ANTHROPIC_BASE_URL=https://x.io/v1",
	"npm ERR! code E404", "npm notice shasum: ~{40}", "npm i stripe@14.2.0", "vault v1.15.4 (~{40})",
	"GitHub Actions run 7654321098", "github.com/acme/web2/commit/~{40}", "Slack thread 1700000000.123456",
	"SELECT * FROM users WHERE password = ?", "INSERT INTO keys (id, name) VALUES (1, 'ctrl2')",
	"CREATE TABLE tokens (token char(64))", "ALTER TABLE x ADD password varchar(255)", "user,password\n",
	"name,token_count\nbob,123\n", "email,key\n", "id,session\n1,2\n",
	"data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=",
	"iVBORw0KGgoAAAANSUhEUgAA#{80}", "atob(\"SGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0\")", "UEsDBBQAAAAI#{60}",
	"H4sIAAAAAAAA#{60}", "%PDF-1.7 #{40}", "-----BEGIN CERTIFICATE-----\n#{64}\n#{64}\n-----END CERTIFICATE-----",
	"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA#{20}\n#{64}\n-----END PUBLIC KEY-----",
	"<X509Certificate>MII#{140}</X509Certificate>", "<ds:SignatureValue>#{86}==</ds:SignatureValue>",
	"<Modulus>#{86}==</Modulus>", "n: \"#{86}\", e: \"AQAB\"", "{\"kty\":\"RSA\",\"n\":\"#{86}\",\"e\":\"AQAB\"}",
	"\"x\":\"#{43}\",\"y\":\"#{43}\",\"crv\":\"P-256\"",
}

// mayBeTouched is how many of 165 look-alikes may be redacted.
const mayBeTouched = 4

func TestLookalikesStay(t *testing.T) {
	f, d := New(nil), rand.New(rand.NewPCG(17, 18))
	if len(lookalikes) < 165 {
		t.Fatalf("%d look-alikes, want 165 or more", len(lookalikes))
	}
	touched := 0
	for _, form := range lookalikes {
		changed := ""
		for range familySamples {
			text := draw(d, form)
			if got := f.redact(text); got != text {
				changed = got
			}
		}
		if changed != "" {
			touched++
			t.Logf("%q: %q", form, changed)
		}
	}
	t.Logf("%d of %d touched", touched, len(lookalikes))
	if touched*165 > mayBeTouched*len(lookalikes) {
		t.Errorf("%d of %d touched, want %d of 165 at most", touched, len(lookalikes), mayBeTouched)
	}
}
