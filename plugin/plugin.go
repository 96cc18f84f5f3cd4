// Package plugin holds the files of the Claude Code plugin. It knows nothing of what they mean.
package plugin

import "embed"

// Files are the plugin as it is in a release, without the program.
//
//go:embed all:.claude-plugin .mcp.json hooks commands skills agents README.md
var Files embed.FS
