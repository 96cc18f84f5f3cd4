package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// mcp is a stdio MCP server (newline-delimited JSON-RPC) that records all it receives in mcp.jsonl.
func mcp(args []string) {
	fs := flag.NewFlagSet("mcp", flag.ExitOnError)
	dir := fs.String("dir", os.Getenv("CCH_DIR"), "directory of mcp.jsonl")
	name := fs.String("name", "memtest", "server name")
	_ = fs.Parse(args)
	cwd, _ := os.Getwd()
	log := filepath.Join(*dir, "mcp.jsonl")
	appendJSON(log, obj{
		"launch": true, "t": stamp(time.Now()), "pid": os.Getpid(), "cwd": cwd, "args": args, "env": environ(),
	})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 16<<20)
	for lines.Scan() {
		var message obj
		if json.Unmarshal(lines.Bytes(), &message) != nil {
			continue
		}
		appendJSON(log, obj{"in": message})
		id, isRequest := message["id"]
		if !isRequest {
			continue
		}
		reply := obj{"jsonrpc": "2.0", "id": id}
		if result := mcpResult(*name, message); result != nil {
			reply["result"] = result
		} else {
			reply["error"] = obj{"code": -32601, "message": "method not found"}
		}
		fmt.Print(string(encode(reply)))
	}
	die(lines.Err())
}

// mcpResult is nil for a method this server does not have.
func mcpResult(name string, message obj) any {
	params, _ := message["params"].(obj)
	switch message["method"] {
	case "initialize":
		return obj{
			"protocolVersion": params["protocolVersion"],
			"capabilities":    obj{"tools": obj{}},
			"serverInfo":      obj{"name": name, "version": "0.0.1"},
			"instructions":    "MCP-INSTRUCTIONS-MARKER use echo",
		}
	case "tools/list":
		return obj{"tools": []any{
			mcpTool("echo", "Echo a text", "text"),
			mcpTool("hookreply", "Returns a hook answer", "event"),
		}}
	case "tools/call":
		arguments, _ := params["arguments"].(obj)
		said := "ECHO:" + strings.TrimSpace(string(encode(arguments)))
		if params["name"] == "hookreply" {
			event, _ := arguments["event"].(string)
			said = string(encode(obj{"hookSpecificOutput": obj{
				"hookEventName": event, "additionalContext": "MCP-HOOK-CONTEXT-MARKER " + event,
			}}))
		}
		return obj{"content": []any{obj{"type": "text", "text": said}}}
	case "ping":
		return obj{}
	}
	return nil
}

func mcpTool(name, description, argument string) obj {
	return obj{"name": name, "description": description, "inputSchema": obj{
		"type": "object", "properties": obj{argument: obj{"type": "string"}},
	}}
}
