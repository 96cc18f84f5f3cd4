package setup

import (
	_ "embed"
	"fmt"
	"io/fs"
)

//go:embed gemini_extension.md
var geminiReadme []byte

// GeminiExtension returns the files of an extension of Gemini, by their names, which runs the program bin/remanence
// beside them. Gemini reads its hooks from the same place as Claude Code from a plugin, with events of its own and time
// limits in milliseconds, so that one directory cannot serve both.
func GeminiExtension(plugin fs.FS, version string) (map[string][]byte, error) {
	const program = "${extensionPath}/bin/remanence"
	files := map[string][]byte{
		"gemini-extension.json": fmt.Appendf(nil, `{
  "name": "remanence",
  "version": %s,
  "description": "Memory for coding agents",
  "mcpServers": {
    "remanence": {
      "command": %s,
      "args": ["mcp"]
    }
  }
}
`, quote(version), quote(program)),
		"README.md":        geminiReadme,
		"hooks/hooks.json": withHooks("{}\n", entriesOf(geminiClient().hooks, `"`+program+`"`, "gemini")),
	}
	skills, err := skillsOf(plugin)
	for _, s := range skills {
		files["skills/"+s.name+"/SKILL.md"] = s.text
	}
	return files, err
}
