package secrets

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Usual texts of agents, and texts about secrets.
func TestTextAboutSecretsStays(t *testing.T) {
	for _, s := range []string{
		// Names of resources, pages of lists, versions of packages.
		"arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1B2c3", `"AWS::IAM::AccessKey": "72c2d9dd90025459"`,
		"urn:ietf:params:oauth:token:saml2-Bearer1", `{"NextToken": "9f4d9f69-275a-41fe-b58e-2b837bd9ba48"}`,
		"nextPageToken=CAUQAA7bX9kQ2wLm4t", "--change-token 12cs3457-67cd-890b", `"clientRequestToken": "3f0c12Example99"`,
		"ii  passwd  1:4.13+dfsg1-1  amd64  change and administer password", "passwd 4.18.2-r1",
		`'Test2::Event::Pass' => '1.302140',`,
		// Lists and sequences of words.
		`["for", "pass", "print"]`, `'lambda', 'nogil', 'pass', 'return'`,
		`{"text": "prompts for password", "metadata": {"project": "p"}}`,
		"syn keyword pf\tpasswd\tmore\nsyn keyword pf\tnetwall\tmore\n",
		"yppasswdd\t100009\typpasswd\nnfs\t100003\tnfsprog\n",
		// Code that passes one on.
		"\tact.pass = pass\n", "exports.CUSTOM_AUTH_START = exports.CUSTOM_AUTH_START;\n",
		"AUTH_DROP = C.NL_AUTH_DROP_START\n", "if token.typ != yaml_FLOW_MAPPING_START_TOKEN {", "pass := !isEmpty(object)",
		"secret := &tls.Config{Rand: r}", "ACTION_PASS = \"pass\"", "\"password=\" + pw",
		" test | pass \n------+------\n run1 | 12/12\n", "$ cat password_test.py\nimport1\n",
		"$ cat password.go | wc -l\n120lines\n", "docker compose -u x -p project1 up",
		"docker run -u app1 -p 127.0.0.1:8080:80/tcp x", "sudo -u postgres mkdir -p dir1",
		"std::cout << password << std::endl;\nreturn x1;", "login is handled in auth/session2.go",
		"gh auth login --hostname github.company2024enterprise.com",
		"INSERT INTO tokens (token, count) VALUES ('hello', 3), ('world', 5);", "bcrypt.compare(password, user.hash)",
		"\"primaryKey\": \"customerOrderIdentifier\"", "password:\n  secretKeyRef:\n    name: db2\n",
		"'password' => ['required', 'min:8'],", "build_account = 'serviceAccount:{0}@cloudbuild2.example.com'",
		"EnclaveOptions: {\"Enabled1\": true}", "expect(errors.password).toBe('invalid')", "verify(password, \"sha256\")",
		"login(page, \"bob1@x.io\")", "<b>Password:</b> at least 8 characters", "Password:\nmust be long\n",
		"The login is described in docs / login", "a token as the key of map2", "password (optional): string",
		// Sentences.
		"Die Passwort-Prüfung läuft jetzt in auth2.go", "setze das Passwort auf den Standardwert zurück",
		"use sha256 as the password", "password 0 characters long", "Adds a --password flag to parser.",
		"use the `--password` option instead", "--no-ask-password --no-block", "seconds to pass to httplib2",
		"proto://username:password@hostname.com/x", "whether a new password is included in the request",
		`METHOD can be "trust", "password", "scram-sha-256"`, "PASSWORD_COMMAND=pass-otp-show1",
		"session = X-aws-ec2-metadata-token-ttl-seconds",
		"encode the arguments as UTF16 to pass them to it", "L33TMatcherName can be pass to the estimator",
		"encoded spellings like p%61ss are still password", "`Action: \"pass\",\n\tTest: \"TestParseJSON_quickly\",",
		"`git fetch --all --ipv4` forgot to pass the option", "the password = settings.DB_PASSWORD_2",
		"a token is handed to OAuth2TokenProvider",
		"// DecapsulationKey1024 is the secret key used to it", "the password check moved to Auth2Service",
		"the key is Order2024Number", "der Schlüssel ist Bestellnummer2024", "la clé est order_id_2",
	} {
		if got := New(nil).redact(s); got != s {
			t.Errorf("redact(%q) = %q, want it unchanged", s, got)
		}
	}
}

// More contexts that distinguish a password from a word: %s is the password.
var morePasswordPlaces = []string{
	// Other words between the name and the value, before and after it.
	"%s ist das neue Passwort", "utilise %s comme mot de passe", "usa %s como contraseña",
	"log in as root with %s as the admin password", "Das neue Kennwort vom Server ist jetzt %s.",
	"鍵のパスフレーズ：%s",
	// Databases.
	"INSERT INTO users (name, password) VALUES ('a', '%s');",
	"insert into `users` (`id`, `password`, `role`)\nvalues (1, 'x', 'b'), (2, '%s', 'c');",
	"COPY public.users (id, password, note) FROM stdin;\n1\t%s\t\\N\n2\tx\ty\n\\.\n",
	" id | email | password \n----+-------+----------\n  1 | a@b.c | %s\n(1 row)\n",
	"+----+----------+\n| id | password |\n+----+----------+\n|  1 | %s |\n+----+----------+\n",
	"│ user │ password │\n├──────┼──────────┤\n│ bob  │ %s │\n└──────┴──────────┘\n",
	"┃ user ┃ password ┃\n┡━━━━━━╇━━━━━━━━━━┩\n│ bob  │ %s │\n", "│ DB_PASSWORD │ %s │",
	"-[ RECORD 1 ]------\nid       | 1\npassword | %s\n",
	"ALTER USER 'root'@'h' IDENTIFIED WITH mysql_native_password BY '%s';",
	"UPDATE users SET password=crypt('%s', gen_salt('bf'))", "PRAGMA key = '%s';", "SELECT pgp_sym_encrypt(x, '%s')",
	"sqlplus app/%s@ORCL", "127.0.0.1:6379> AUTH %s\nOK", "user default on >%s ~* +@all", "localhost:*:*:postgres:%s\n",
	// Output of commands.
	"$ cat .vault_pass\n%s\n", "$ terraform output -raw db_password\n%s\n",
	"bob@host:~$ echo $DB_PASSWORD\n%s\nbob@host:~$ ",
	"$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n%s\n",
	"# vault kv get -field=password secret/db\n%s\n",
	// Commands.
	"curl -sku bob:%s https://x", "rdesktop -u bob -p %s h", "airflow users create -u bob -p %s -r Admin",
	"etcdctl --user root:%s get x", "java -jar cli.jar -auth admin:%s list", "sudo -S <<< '%s' ls",
	"echo '%s' | cryptsetup luksOpen /dev/x y -", "mkpasswd -m sha-512 %s", "openssl passwd -6 %s",
	"ssh-keygen -p -P '%s' -f k", "terraform apply -var=\"db_password=a(%s\"",
	"[\"CMD\", \"mysqladmin\", \"ping\", \"-p%s\"]", "composer config http-basic.repo.x bob %s",
	"username bob password 0 %s", "New-Item -Path Env: -Name DB_PASSWORD -Value '%s'",
	"ConvertTo-SecureString -AsPlainText '%s' -Force", "chpasswd:\n  list: |\n    root:%s\n",
	// Files.
	"db_password = <<EOT\n%s\nEOT", "DB_PASSWORD<<EOF\n%s\nEOF", "password: ${DB_PASSWORD:%s}",
	"{\"type\":\"random_password\",\"attributes\":{\"length\":20,\"result\":\"%s\"}}",
	"{\"Env\":[\"MYSQL_ROOT_PASSWORD=a1\\\"%s\",\"X=y\"]}", "{user: bob, password: %s}", "password: \"{noop}%s\"",
	"user%%5Bpassword%%5D=%s&x=1", "password%%3D%s%%26x", "<Password>\n  <Value>%s</Value>\n</Password>",
	"<wsse:Password Type=\"x\">%s</wsse:Password>",
	"<setting name=\"AdminPassword\" as=\"String\"><value>%s</value></setting>",
	"<param-name>password</param-name><param-value>%s</param-value>", "<password>%s)</password>", "DB_PASSWORD=$'%s'",
	// Code.
	"bcrypt.hashSync('%s', 10)", "bcrypt.GenerateFromPassword([]byte(\"%s\"), 10)", "Hash::make('%s')",
	"['password' => bcrypt('%s')]", "password <- '%s'", "static const char PASS[] = \"%s\";",
	"std::string password{\"%s\"};", "auto password = std::string(\"%s\");", "PASSWORD: Final[str] = \"%s\"",
	"assert login(\"bob\", \"%s\")", "signInWithEmailAndPassword(auth, 'a@b.c', '%s')",
	"page.get_by_label(\"Password\").fill(\"%s\")", "driver.find_element(By.ID, 'password').send_keys('%s')",
	"DBI->connect($dsn, 'bob', '%s')", `Database.forURL("jdbc:postgresql://10.2.4.5/l", "deploy", "%s", driver = "x")`,
	// Sentences.
	"das Passwort lautet %s", "Setze das Passwort bitte auf %s", "Das neue Passwort lautet \"%s\"", "Das Kennwort ist: %s",
	"die Zugangsdaten sind admin:%s", "login is admin / %s", "default credentials are admin/%s", "the password's %s",
	"PASSWORD elastic = %s", "use %s as the password", "nimm %s als Passwort", "DB_PASSWORD is set to %s",
	"das alte Passwort war %s", "Passwort bitte: %s", "Passwort fürs WLAN: %s", "Das Passwort dafür ist %s",
	"Kennwort für den Server: %s", "Password changed from %s to x", "New Vault password (default): %s",
	"it wants a password, use %s", "please use \"%s\" as the DB password", "the credentials for staging are bob / %s",
	"die Login-Daten: bob / %s", "the test account is qa@x.io / %s", "✔ Enter password … %s", "Password:\n%s\n",
	"<td>Password</td><td>%s</td>", "<b>Password:</b> %s",
	"كلمة المرور: %s", "סיסמה: %s", "парола: %s", "[Warehouse]\nUID = bob\nPWD = %s9a\nServer = h\n",
	// Tools and tests.
	"gh secret set DB_PASSWORD -b '%s'", "ParameterKey=DBPassword,ParameterValue=%s", "stats auth admin:%s",
	"['sshpass', '-p', '%s', 'ssh']", "child.expect('password:')\nchild.sendline('%s')",
	"keyring.set_password('svc', 'u', '%s')", "WiFi.begin(ssid, \"%s\");", "mqtt.username_pw_set(\"u\", \"%s\")",
	"u.password = generate_hash(\"%s\")", "strcmp(pass, \"%s\")", "expect(user.password).toBe('%s')",
	"url.Values{\"password\": {\"%s\"}}", "await login(page, 'a@b.c', '%s')",
}

// More contexts that distinguish a token from an id.
var moreTokenPlaces = []string{
	"doctl auth init -t %s", "vault login %s", "netlify deploy --auth %s", "bw unlock --session %s",
	"echo %s | gh auth login --with-token", "\"primaryKey\": \"%s=\"", "wss://x.io/ws?auth=%s",
	"new AuthenticationHeaderValue(\"Bearer\", \"%s\")", "crypto.createHmac('sha256', '%s')",
	"hmac.New(sha256.New, []byte(\"%s\"))", "Unseal Key 1: %s\n", "\"unseal_keys_b64\": [\n  \"%s\",\n  \"%s\"\n]",
	"{\"github-oauth\":{\"github.com\":\"%s\"}}", "res.cookie('sid', '%s')", "setCookie({ name: 'session', value: '%s' })",
	"http.Cookie{Name: \"session\", Value: \"%s\"}", "<name>fs.secret.key</name>\n<value>%s</value>",
	"{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"%s\"}", "you need the token: it's %s", "вот токен %s для бота",
	"le jeton d'accès est %s", "la clé est %s", "ключ: %s", "token是 %s", "use my deploy token for it: %s",
	"пароль от базы: %s", "la password del server è %s", "I set the root password of it to %s", "password for prod → %s",
	"le mot de passe de la base : %s", "Use the following password to go on:\n\n%s\n\nIt is shown once.",
	"new Signer('id', '%s')", "<Password Value=\"%s\"/>", "der Zugriffstoken lautet %s", "hier ist der Schlüssel: %s",
	"Use %s as the API key", "bot.run('%s')", "using IQoJb3JpZ2luX2Vj%[1]s%[1]s%[1]s",
	"SAMLResponse=PD94bWwg%[1]s%[1]s%[1]s", "ya29.c.b0A%s", "AQ.Ab8RN6%s",
	"API_TOKEN=%s\\\n%s\nexit", "api.token=%s\\\n    %s\nregion=x", "<password>{%s=}</password>",
}

func TestSecretsInMoreContextsAreRedacted(t *testing.T) {
	f, roll := New(nil), dice{rand.New(rand.NewPCG(7, 8))}
	check := func(place, secret string) {
		text := strings.NewReplacer("%[1]s", secret, "%s", secret, "%%", "%").Replace(place)
		if got := f.redact(text); strings.Contains(got, core(secret)) {
			t.Errorf("%q survives in %q", secret, got)
		}
	}
	for range 20 {
		for _, place := range morePasswordPlaces {
			check(place, roll.word())
		}
		for _, place := range moreTokenPlaces {
			check(place, roll.of(letters, 10)+roll.of(digits, 4)+roll.of(alnum, 26))
		}
	}
}
