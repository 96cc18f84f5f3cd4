//go:build unix

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/mind"
	"remanence/internal/workstate"
)

// BenchmarkFiles is a session's start and a prompt as the worker answers them,
// with the store on disk, where the project has state files, where the person has
// a vault of 500 memories, with both, and with both where a file of each changed
// since the last event. It reports medians, and the processor time of each.
func BenchmarkFiles(b *testing.B) {
	for _, c := range []struct {
		name                  string
		mind, vault, changing bool
	}{
		{name: "without"},
		{name: "mind", mind: true},
		{name: "vault", vault: true},
		{name: "both", mind: true, vault: true},
		{"both-changing", true, true, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := newDen(b)
			root, err := filepath.EvalSymlinks(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			if c.mind {
				if _, err := mind.Init(root, "example", "mark"); err != nil {
					b.Fatal(err)
				}
				if _, err := TrustProject(d.Paths, mem.Project{Root: root}, "mark", time.Now()); err != nil {
					b.Fatal(err)
				}
			}
			if c.vault {
				fillVault(b, d)
			}
			n := 0
			give := func(ev mem.Event) time.Duration {
				n++
				if c.changing {
					lay(b, d.path("memory/reference_7.md"), fmt.Sprintf("---\nname: fact 7\n---\nwritten %d\n", n))
					lay(b, filepath.Join(root, workstate.Dir, "STATE.md"),
						fmt.Sprintf("# Project State\n\n## Current Phase\nphase %d\n", n))
				}
				ev.Agent, ev.At, ev.Root, ev.Cwd = "claude-code", time.Now(), root, root
				ev.Identify(fmt.Sprint(n))
				begun := time.Now()
				if _, err := d.Engine.Handle(b.Context(), ev); err != nil {
					b.Fatal(err)
				}
				return time.Since(begun)
			}
			give(mem.Event{Kind: mem.SessionStart, Source: "startup", Session: "first"})
			for name, ev := range map[string]func() mem.Event{
				"start": func() mem.Event {
					return mem.Event{Kind: mem.SessionStart, Source: "startup", Session: fmt.Sprint("s", n)}
				},
				"prompt": func() mem.Event {
					return mem.Event{
						Kind: mem.UserPromptSubmit, Session: "first", PromptID: fmt.Sprint("p", n),
						Text: "and what comes after that one",
					}
				},
			} {
				b.Run(name, func(b *testing.B) {
					var took []time.Duration
					before := spent(b)
					for b.Loop() {
						took = append(took, give(ev()))
					}
					cpu := spent(b) - before
					slices.Sort(took)
					b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
					b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
					b.ReportMetric(ms(cpu)/float64(len(took)), "cpu-ms/op")
				})
			}
		})
	}
}

// spent is the processor time of this process so far.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// fillVault puts 500 memories into the vault, five of them critical, and a page
// about the person.
func fillVault(b *testing.B, d *den) {
	b.Helper()
	lay(b, d.path("USER.md"), "I am Ada. I like short answers.\n")
	old := time.Now().Add(-time.Hour)
	for i := range 500 {
		name := d.path(fmt.Sprintf("memory/reference_%d.md", i))
		lay(b, name, fmt.Sprintf("---\nname: fact %d\ndescription: what holds of thing %d\ntype: reference\nhits: "+
			"%d\ncritical: %v\n---\n%s\n",
			i, i, i%40, i < 5, strings.Repeat(fmt.Sprintf("thing %d is so. ", i), 60)))
		if err := os.Chtimes(name, old, old); err != nil {
			b.Fatal(err)
		}
	}
}
