package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// check sums up a run and judges it: exit status 1 when an expectation of the script or a lint rule was broken.
func check(args []string) {
	fs := flag.NewFlagSet("check", flag.ExitOnError)
	out := fs.String("out", ".", "output directory of a run")
	quiet := fs.Bool("q", false, "print findings only")
	lint := fs.Bool("lint", false, "hold the wrapped hook command to the client's contract")
	_ = fs.Parse(args)
	hooks := filepath.Join(*out, "hooks.jsonl")
	findings := unmetExpectations(filepath.Join(*out, "requests.jsonl"))
	if *lint {
		for _, f := range lintHooks(hooks, crowd() > maxCrowd) {
			findings = append(findings, "LINT "+f)
		}
	}
	if !*quiet {
		printRequests(filepath.Join(*out, "requests.jsonl"))
		fmt.Println("hooks:", hookCounts(hooks))
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

func unmetExpectations(requests string) (findings []string) {
	readLines(requests, func(r obj) {
		failed, _ := r["failed"].([]any)
		for _, f := range failed {
			findings = append(findings, fmt.Sprintf("EXPECTATION FAILED at request #%v (%v turn %v): %v", r["n"], r["kind"],
				r["turn"], f))
		}
	})
	return findings
}

func printRequests(path string) {
	readLines(path, func(r obj) {
		body, _ := r["body"].(obj)
		messages, _ := body["messages"].([]any)
		note := ""
		if r["note"] != nil {
			note = fmt.Sprintf(" note=%v", r["note"])
		}
		fmt.Printf("#%v %v %v kind=%v turn=%v model=%v msgs=%d%s\n", r["n"], r["method"], r["path"], r["kind"], r["turn"],
			r["model"], len(messages), note)
	})
}

// hookCounts says how often each event's hook was called, as "Event=N Event(wrapped)=N …".
func hookCounts(path string) string {
	count := map[string]int{}
	readLines(path, func(r hookRecord) {
		if r.Phase != "start" {
			return
		}
		if r.Mode == "wrap" {
			r.Event += "(wrapped)"
		}
		count[r.Event]++
	})
	var parts []string
	for event, n := range count {
		parts = append(parts, fmt.Sprintf("%s=%d", event, n))
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}
