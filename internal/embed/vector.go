package embed

import (
	"errors"
	"fmt"
	"math"
)

// What is wrong with an answer.
var (
	errCount      = errors.New("the answer has another number of vectors than was asked for")
	errDimensions = errors.New("a vector has another number of dimensions than expected")
	errNumber     = errors.New("a vector holds something that is no number")
	errZero       = errors.New("a vector is all zeros")
)

// checked returns vectors of length 1, or an error if any of them is not what a
// vector must be. A null is no number.
func (e *Embedder) checked(raw [][]*float64, want int) ([][]float32, error) {
	if len(raw) != want {
		return nil, fmt.Errorf("%w: %d for %d", errCount, len(raw), want)
	}
	e.mu.Lock()
	dims := e.dims
	e.mu.Unlock()
	out := make([][]float32, 0, len(raw))
	for _, v := range raw {
		if dims == 0 {
			dims = len(v)
		}
		if len(v) != dims || dims == 0 || dims > MaxDimensions {
			return nil, fmt.Errorf("%w: %d, not %d", errDimensions, len(v), dims)
		}
		u, err := unit(v)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dims != 0 && e.dims != dims { // two first answers at once
		return nil, fmt.Errorf("%w: %d, not %d", errDimensions, dims, e.dims)
	}
	e.dims = dims
	return out, nil
}

// unit scales a vector to length 1.
func unit(v []*float64) ([]float32, error) {
	most := 0.0
	for _, x := range v {
		if x == nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
			return nil, errNumber
		}
		most = max(most, math.Abs(*x))
	}
	if most == 0 {
		return nil, errZero
	}
	sum := 0.0
	for _, x := range v { // by the largest, so that no square is too large or too small
		sum += (*x / most) * (*x / most)
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(*x / most / math.Sqrt(sum))
	}
	return out, nil
}
