// Package tier says how much a random or repeated test does: little in every
// run, much in the long one, and from which seed.
package tier

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Variables of the environment that steer a run.
const (
	// Long, set to anything, asks for the figures of the long run.
	Long = "REMANENCE_LONG"
	// Seed repeats a run of random tests: the number that one printed.
	Seed = "REMANENCE_SEED"
)

// IsLong reports whether the long run is requested.
func IsLong() bool { return os.Getenv(Long) != "" }

// Runs is how often: short in every run, long in the long one.
func Runs(short, long int) int {
	if IsLong() {
		return long
	}
	return short
}

// Rand is a source of random numbers whose seed the test's log names. A test
// that fails prints its log, and with Seed set it goes the same way again.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv(Seed); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("%s=%s: want a number", Seed, s)
		}
		seed = n
	}
	t.Logf("%s=%d", Seed, seed)
	return rand.New(rand.NewPCG(seed, seed))
}
