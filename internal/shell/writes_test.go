package shell

import (
	"strings"
	"testing"
)

func TestFilesThatALineWritesAreThoseItNames(t *testing.T) {
	for line, want := range map[string]string{
		"sed -i 's/30s/9s/' sender.conf":                                          "sender.conf",
		"sed -i.bak -e 's/a b/c/' -e 's/d/e/' fee.go tax.go":                      "fee.go tax.go",
		"sed -i '' 's/a/b/' fee.go":                                               "fee.go",
		"sed -n '1,20p' fee.go":                                                   "",
		"sed 's/a/b/' fee.go > tax.go":                                            "",
		"cd web && sed -Ei 's/(a)/b/' src/fee.ts && npm test":                     "web/src/fee.ts",
		"sed -i 's/a/b/' src/*.go":                                                "",
		"perl -pi -e 's/a/b/' fee.go":                                             "fee.go",
		"perl -ne 'print if /interest/' fee.go":                                   "",
		"git mv fee.go fees/fee.go":                                               "fees/fee.go",
		"git mv fee.go tax.go fees/":                                              "",
		"cat fee.go; grep open( fee.go":                                           "",
		"python3 - <<'EOF'\nopen('out.txt').read()\nEOF":                          "",
		"python3 -c \"open('fee.go', 'w').write('x')\"":                           "fee.go",
		"node -e 'fs.writeFileSync(\"a/fee.js\", s)'":                             "a/fee.js",
		"python - <<E\nfrom pathlib import Path\nPath(\"f.go\").write_text(s)\nE": "f.go",
		"python3 - <<'EOF'\nwith open('/home/dev/shop/fee.go', 'r') as f:\n    s = f.read()\n" +
			"with open('/home/dev/shop/fee.go', 'w') as f:\n    f.write(s)\nEOF": "/home/dev/shop/fee.go",
		"python3 - <<'EOF'\np = 'fee.go'\ns = open(p).read()\nopen(p, \"w\").write(s)\nEOF": "fee.go",
	} {
		if got := strings.Join(Writes(line), " "); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
