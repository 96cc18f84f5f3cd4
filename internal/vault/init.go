package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// templates are the files of a new vault. Their comments are not injected.
var templates = [...]struct{ name, text string }{
	{userFile, `<!-- Who you are and how you like to work. All below this comment is injected at the start of every
session, in every project. Keep it short: of a text that is too long only the first paragraph is injected. -->
`},
	{logFile, "# Log\n"},
	{hintsFile, `# Which directories belong to which project: a part of a path, and the name that
# memories have under "projects". What belongs to the project at hand comes first.
[hints]
# "/code/shop" = "shop"

[settings]
# match_boost = 5.0
`},
}

// Init makes what a vault lacks and returns the names of what it made. What is
// there is left as it is. IDENTITY.md is the agent's own and not made here.
func (v *Vault) Init() ([]string, error) {
	var made []string
	if !v.There() {
		if err := os.MkdirAll(v.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("make vault: %w", err)
		}
		made = append(made, v.Dir)
	}
	root, err := v.open()
	if err != nil {
		return made, err
	}
	defer root.Close()
	for _, dir := range []string{memoryDir, handoffDir} {
		if _, err := root.Lstat(dir); err == nil {
			continue
		}
		if err := root.Mkdir(dir, 0o700); err != nil {
			return made, fmt.Errorf("make %s: %w", dir, err)
		}
		made = append(made, dir+string(filepath.Separator))
	}
	for _, t := range templates {
		if _, err := root.Lstat(t.name); err == nil || t.name == hintsFile && v.hasHints() {
			continue
		}
		if err := replaceFile(root, t.name, nil, []byte(t.text)); err != nil && !errors.Is(err, errChanged) {
			return made, fmt.Errorf("make %s: %w", t.name, err)
		}
		made = append(made, t.name)
	}
	return made, v.WriteIndex()
}

func (v *Vault) hasHints() bool {
	_, name, err := v.hintsText()
	return err == nil && name != ""
}
