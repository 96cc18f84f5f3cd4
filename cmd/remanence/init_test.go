package main_test

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What a start may cost before main runs. An agent waits for every hook, and
// every package that is linked initialises itself in each of them. Counted, not
// timed, so nearly the same everywhere: how a map grows is a matter of chance.
const (
	maxPackages    = 122
	maxAllocations = 1430
)

func TestHookStartsWithinItsBudget(t *testing.T) {
	program, in := build(t), payload(t)
	started, allocations := initialised(t, program, in)
	for range 4 {
		if again, n := initialised(t, program, in); n < allocations {
			started, allocations = again, n
		}
	}
	t.Logf("%d packages, %d allocations", len(started), allocations)
	if len(started) > maxPackages {
		t.Errorf("got %d package initialisations, want at most %d", len(started), maxPackages)
	}
	if allocations > maxAllocations {
		t.Errorf("got %d allocations before main, want at most %d", allocations, maxAllocations)
	}
	if t.Failed() {
		t.Logf("most allocations:\n%s", most(started, 5))
	}
}

// The Go runtime of a start reads what a container may use, and a goroutine looks again all the time.
func TestAStartReadsNoContainerLimits(t *testing.T) {
	info, err := buildinfo.ReadFile(build(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"containermaxprocs=0", "updatemaxprocs=0"} {
		if !slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
			return s.Key == "DefaultGODEBUG" && slices.Contains(strings.Split(s.Value, ","), want)
		}) {
			t.Errorf("built without %s", want)
		}
	}
}

// maxBytes is what the program may weigh as it is released. A reflective call of methods by name anywhere in it, such
// as a text template, makes the linker keep every method of every type: 2.6 MB of them.
const maxBytes = 28_400_000

func TestTheProgramIsSmallerThanItsBound(t *testing.T) {
	info, err := os.Stat(build(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > maxBytes {
		t.Errorf("got %d bytes, want at most %d", info.Size(), maxBytes)
	}
}

// started is one package that did something before main.
type started struct {
	name        string
	allocations int
}

// build makes the program as it is released.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "remanence")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

func payload(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("../../internal/agent/testdata/events/PostToolUse.Bash.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Stdin json.RawMessage }
	if err := json.Unmarshal(b, &recorded); err != nil {
		t.Fatal(err)
	}
	return recorded.Stdin
}

// initialised runs one hook and reads the Go runtime's account of its start, and
// adds up the allocations. The hook is switched off: it is linked like any other,
// but leaves no worker behind.
func initialised(t *testing.T, bin string, payload []byte) (out []started, allocations int) {
	t.Helper()
	cmd := exec.Command(bin, "hook", "claude-code")
	cmd.Env = []string{"HOME=" + t.TempDir(), "REMANENCE_DISABLED=1", "GODEBUG=inittrace=1"}
	cmd.Stdin = bytes.NewReader(payload)
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("hook: %v\n%s", err, trace.Bytes())
	}
	line := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) allocs$`)
	for _, m := range line.FindAllStringSubmatch(trace.String(), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		out, allocations = append(out, started{m[1], n}), allocations+n
	}
	// A trace that can not be read would pass as a start that costs nothing.
	if lines := strings.Count(trace.String(), "\n"); len(out) != lines || len(out) == 0 {
		t.Fatalf("understood %d of %d lines:\n%s", len(out), lines, trace.Bytes())
	}
	return out, allocations
}

func most(list []started, n int) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b started) int { return b.allocations - a.allocations })
	var b strings.Builder
	for _, p := range list[:min(n, len(list))] {
		fmt.Fprintf(&b, "%6d %s\n", p.allocations, p.name)
	}
	return b.String()
}
