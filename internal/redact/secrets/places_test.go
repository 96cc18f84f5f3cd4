package secrets

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Contexts that distinguish a password from a word: %s is the password.
var passwordPlaces = []string{
	"zip -P %s a.zip b", "7z x -p%s a.7z", "openssl enc -aes-256-cbc -k '%s' -in a", "ssh-keygen -t ed25519 -N '%s' -f id",
	"cqlsh -u cassandra -p %s 10.0.0.1", "rabbitmqctl add_user bob %s", "rabbitmqadmin -u admin -p %s list queues",
	"net user bob %s /add", "wpa_passphrase home %s", "htpasswd -bc f bob %s",
	"aws secretsmanager put-secret-value --secret-id db-password --secret-string %s",
	"az keyvault secret set --name DbPassword --value %s", "psexec -u bob -p %s cmd", "net use Z: %s /user:bob",
	"snmpwalk -v3 -A %s h", "EXEC sp_addlogin 'bob', '%s'", "printf '%s' | docker secret create db -",
	"ldapmodify -x -D cn=admin -w %s -f a.ldif", "openssl pkcs12 -export -passout pass:%s -in a",
	"curl --proxy-user bob:%s https://x", "echo -n 'bob:%s' | base64",
	"<property name=\"hibernate.connection.password\">%s</property>", "<setting name=\"DbPassword\" value=\"%s\" />",
	"<entry key=\"db.password\">%s</entry>", "- {name: DB_PASSWORD, value: \"%s\"}",
	"{\"name\":\"DB_PASSWORD\",\"value\":\"%s\"}", "{\"Key\":\"DbPassword\",\"Value\":\"%s\"}",
	"- name: DB_PASSWORD\n  value: %s\n", "variable \"db_password\" {\n  type    = string\n  default = \"%s\"\n}",
	"const dbPassword = process.env.DB_PASSWORD || '%s'", "psk=%s", "WPA-PSK: %s",
	"new Sequelize('db', 'user', '%s', { dialect: 'mysql' })", "base64.b64encode(b\"bob:%s\")",
	"ldap.simple_bind_s(\"cn=admin\", \"%s\")", "client.auth(\"%s\")", "req.SetBasicAuth(\"bob\", \"%s\")",
	"smtp.PlainAuth(\"\", \"bob\", \"%s\", host)", "app:%s@tcp(db:3306)/shop", "jdbc:oracle:thin:scott/%s@//db:1521/XE",
	"user: bob / pass: %s", "user bob, pass %s", "The admin password has been reset to %s.",
	"I changed the db password to %s", "password → %s", "password - %s", "* password: %s", "1. password: %s",
	"- **Password:** `%s`", "| user | password |\n|---|---|\n| admin | %s |", "| DB_PASSWORD | %s |", "the pw is %s",
	"das Kennwort lautet %s", "contraseña: %s", "mot de passe : %s", "пароль: %s", "密码：%s", "パスワードは%s", "hasło: %s",
	"requirepass %s", "*:*:*:postgres:%s", "mysql -h db \\\n  -u root \\\n  -p%s \\\n  x",
	"curl -s \\\n  -H 'Accept: text/html' \\\n  -u bob:%s \\\n  https://x", "PASS=\"${DB_PASS:-%s}\"",
	"      POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-%s}\n", "password: >-\n  %s\nuser: x\n", "password: |\n  %s\n",
	"::add-mask::%s", "<input type=\"password\" name=\"pw\" value=\"%s\">", "db.internal:5555:*:app:%s\n",
	"redirect=https%%3A%%2F%%2Fbob%%3A%s%%40host%%2F", "lftp -u bob,%s sftp://h", "a1 LOGIN bob@example.com %s",
	"expect \"Password:\"\nsend \"%s\\r\"\n", "Das Passwort für den Server ist %s", "Das Kennwort vom Router lautet %s",
	"La contraseña del servidor es %s", "Le mot de passe du serveur est %s",
}

// Contexts that distinguish a token from an id.
var tokenPlaces = []string{
	"- name: X_SECRET\n  value: %s\n", "Set `API_TOKEN` to `%s` and restart.", "| API_TOKEN | %s |",
	"gh secret set API_TOKEN --body \"%s\"", "aws ssm put-parameter --name /prod/api-key --type SecureString --value %s",
	"wrangler secret put API_TOKEN <<< %s", "<key>ApiToken</key>\n<string>%s</string>",
	"<add key=\"ApiKey\" value=\"%s\" />", "var jwtSecret = []byte(\"%s\")", "jwt.sign(payload, '%s')",
	"x-functions-key: %s", "spring.signing.key=%s", "https://api.example.com/v1?key=%s&x=1",
	"const token = process.env.API_TOKEN ?? \"%s\"", "My OpenAI key: %s", "<string name=\"google_maps_key\">%s</string>",
	"the private key is %s", "Der API-Schlüssel lautet %s", "curl -b 'session=%s' https://x",
	"example.com\tFALSE\t/\tTRUE\t1790000000\tSESSION\t%s", "define( 'AUTH_KEY',   '%s' );",
	"$ cat config/master.key\n%s\n$ ", "$ rails secret\n%s\n", "<ddAppKey>%s</ddAppKey>",
}

func TestSecretsAreRecognisedByContext(t *testing.T) {
	f := New(nil)
	roll := dice{rand.New(rand.NewPCG(3, 4))}
	for _, place := range passwordPlaces {
		for range 20 {
			secret := roll.word()
			if got := f.redact(fmt.Sprintf(place, secret)); strings.Contains(got, secret) {
				t.Errorf("%q survives in %q", secret, got)
			}
		}
	}
	for _, place := range tokenPlaces {
		for range 20 {
			secret := roll.of(letters, 20) + "7" + roll.of(alnum, 19)
			if got := f.redact(fmt.Sprintf(place, secret)); strings.Contains(got, core(secret)) {
				t.Errorf("%q survives in %q", secret, got)
			}
		}
	}
}

// A word, a path, a name or a type in such a context stays.
func TestContextAloneIsNotRedacted(t *testing.T) {
	for _, s := range []string{
		"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password\n",
		"- name: LOG_LEVEL\n  value: debug\n", "variable \"db_password\" {\n  type      = string\n  sensitive = true\n}",
		"variable \"token_ttl\" {\n  default = 3600\n}", "| user | password |\n|---|---|\n| admin | see the vault |",
		"| Flag | Token |\n|---|---|", "Set `API_TOKEN` to your own.", "pass the request to handler1 first",
		"Pass \"encoding\" to the reader", "then, pass utf8 to it", "wir setzen das Passwort zurück",
		"la contraseña es incorrecta", "пароль: неверный", "密码错误", "zip -r a.zip dir", "unzip a.zip -d dir",
		"curl -b cookies.txt https://x", "htpasswd -c f bob", "req.SetBasicAuth(user, password)",
		"smtp.PlainAuth(\"\", user, pass, host)", "auth=(user, password)", "getConnection(url, user, password)",
		"define('CACHE_KEY', 'user_list');", "primary_key = \"user_id\"", "cache_key: users-by-name", "\"key\": \"value\"",
		"tokens per second - 42", "the key is missing", "keyboard: us", "monkey: see", "pattern.match(path)",
		"Basic auth is off", "basic usage", "const accounts: string[] = []", "{\"auth\": \"required\"}",
		"session: new Session(id)", "session=", "echo hello | base64", "bob:x:1000:1000::/home/bob:/bin/bash", "mfa: enabled",
		"SETUP KEY MISSING", "the password was reset to the default", "password reset\n", "Password requirements\n",
		"key.pem:1:-----BEGIN CERTIFICATE-----\nkey.pem:2:MIID\n",
		"// -----BEGIN PRIVATE KEY----- begins such a block,\n// and the END ends it.", "psk identity hint",
		"func (k *Key) Sign() error", "map[string]key", "row key order", "{\"password\": \"密码\", \"token\": \"令牌\"}",
		"{\"pass\": \"すべての要素にラベルがあります\"}", "{\"password\": \"Passwort\"}", "password: \"Contraseña\"", "PASS=${DB_PASS:-}",
		"password: |\n", "password: >-\n\nuser: x", "das Passwort für den Server ist falsch",
		"la contraseña del servidor es obligatoria", "curl -s \\\n  https://x\nps -u root",
		"<input type=\"password\" name=\"pw\" value=\"\">", "live_reload_is_on", "secret-manager-client-library-v1",
		"50 of 50 runs pass in 0.2 s; fixed: `go test -count=50 ./internal/webhook`; changed a.go",
		"they pass in CI; run: `go test -run X1`",
		"Looked up the password in the settings; fixed: `go test -run TestLogin1`; changed a.go", "sk_buff_head_init_class1",
		"re_compile_pattern_2", "API-REFERENCE-AND-GUIDE", "fc-cache -fv", "fw_cfg_add_file_callback", "sha256~",
		"pat.match(line)", "password: @env(DB_PASSWORD)", "STRIPE_SECRET_KEY=sk_test_your_key_here", "PWD = /srv/app2",
		"ssl_passphrase_command_supports_reload = off1", "routing_key: orders.created.v2", "--token-file=a1 \\\n  --verbose",
		"Cache restored from key: npm-Linux-6e54ac244178729c70c678baf2ff38ee9f49317e837a691e819b24ee0ee417da",
	} {
		if got := New(nil).redact(s); got != s {
			t.Errorf("redact(%q) = %q, want it unchanged", s, got)
		}
	}
}
