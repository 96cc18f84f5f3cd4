// Command cch drives the real Claude Code client offline. It plays everything around the client: the API it talks to,
// the hooks it calls, the MCP server it starts; and it judges afterwards what happened.
//
//	cch serve -script S.json -out DIR      fake Anthropic Messages API on 127.0.0.1
//	cch hook [-name N]                     recording hook: logs its stdin, prints a scripted answer
//	cch wrap [-name N] -- CMD ARG...       runs a hook command under test, logs what it got and what it did
//	cch mcp [-name N]                      recording stdio MCP server (tools: echo, hookreply)
//	cch httphook -out DIR -answer FILE     recording HTTP hook endpoint on 127.0.0.1
//	cch check -out DIR [-q] [-lint]        summary of a run; exit 1 on failed expectations or lint findings
//	cch say TEXT                           one user message line for --input-format stream-json
//	cch expand FILE @KEY@=VALUE...         prints FILE with the tokens replaced (values are JSON-escaped)
//
// hook, wrap and mcp write under the directory named by CCH_DIR. It knows nothing of the product it tests.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

func main() {
	commands := map[string]func([]string){
		"serve": serve, "hook": hook, "wrap": wrap, "mcp": mcp,
		"httphook": httphook, "check": check, "say": say, "expand": expand,
	}
	if len(os.Args) > 1 {
		if run, ok := commands[os.Args[1]]; ok {
			run(os.Args[2:])
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: cch serve|hook|wrap|mcp|httphook|check|say|expand ...")
	os.Exit(2)
}

// die ends the program with status 1 unless err is nil.
func die(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cch:", err)
		os.Exit(1)
	}
}

func say(args []string) {
	fmt.Print(string(encode(obj{
		"type":               "user",
		"message":            obj{"role": "user", "content": strings.Join(args, " ")},
		"parent_tool_use_id": nil,
		"session_id":         "default",
	})))
}

func expand(args []string) {
	if len(args) == 0 {
		die(errors.New("expand: no file"))
	}
	b, err := os.ReadFile(args[0])
	die(err)
	text := string(b)
	for _, pair := range args[1:] {
		token, value, _ := strings.Cut(pair, "=")
		quoted := strings.TrimSpace(string(encode(value)))
		text = strings.ReplaceAll(text, token, quoted[1:len(quoted)-1])
	}
	fmt.Print(text)
}
