package secrets

import (
	"strings"
	"testing"
)

func TestDottedPassphraseIsNoCode(t *testing.T) {
	for _, s := range []string{
		"password: Winter.sunshine99", "db_password: Winter.sunshine99\n", "deploy --password Winter.sunshine99 --force",
		"deploy --password=Winter.sunshine99", "--db-password Winter.sunshine99", "password = Winter.sunshine99",
		"PASSWORD=Winter.sunshine99", "password: 'winter.sunshine99'", "the password is Winter.sunshine99",
		"  password: sunshine.winter2024", "my password: Winter.sunshine99, remember", "password: correct.Horse.battery77",
		"passphrase: Blue_Moon.over42hills", "Password: Winter.sunshine99.", "password: Winter.sunshine9",
		`{"password":"winter.sunshine99"}`,
	} {
		if got := New(nil).redact(s); !strings.Contains(got, markerHead) || strings.Contains(got, "unshine99") {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestMemberAccessIsNoPassword(t *testing.T) {
	for _, s := range []string{
		"password: config.db.password", "password=os.environ.X", "--password $VAR", "password: cfg.Password2",
		"Password: opts.Auth.Pass1,", "password = settings.DB_PASSWORD_2", "password: local.db_password_01",
		"password = module.rds01.password", "password: self.passwords.v10", "\tPassword: types.Int64,",
		"password: types.Utf8", "password: hash.Sum256", "password: Schemas.String255", "password: db01.example.com",
		"password: main.test.js", "--password req.body.field12", "password: this.form.value10", "password: argv.p2",
		"password = user2.password", "password: z.string.min8", "password: Yup.string", "password: event.target.value",
		"password: env.DB_PASS99", "password: vault.data.db42", "password = base64.b64decode", "password: hashlib.sha256",
	} {
		if got := New(nil).redact(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}
