package cli

import (
	"fmt"
	"testing"

	"remanence/internal/curate"
)

// BenchmarkReview is a look at what needs a person's judgement.
func BenchmarkReview(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, _ := filledEngine(b, n)
			for b.Loop() {
				found, err := e.Curate.Review(b.Context(), curate.ReviewRequest{})
				if err != nil || found.Examined == 0 {
					b.Fatalf("looked at %d, %v", found.Examined, err)
				}
			}
		})
	}
}
