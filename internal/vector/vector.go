// Package vector compresses and compares embedding vectors: one byte for each number, or one bit.
package vector

import "math"

// Quantize stores a vector in one byte for each number, and a scale by which they
// are multiplied. ok is false for a vector with NaN or infinity, or only zeros.
func Quantize(v []float32) (scale float64, data []byte, ok bool) {
	most := 0.0
	for _, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return 0, nil, false
		}
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 {
		return 0, nil, false
	}
	scale = most / math.MaxInt8
	data = make([]byte, len(v))
	for i, x := range v {
		data[i] = byte(int8(math.Round(float64(x) / scale)))
	}
	return scale, data, true
}

// Cosine compares a vector of the given Euclidean length with a stored one, whose
// scale cancels out. ok is false if the two cannot be compared.
func Cosine(v []float32, length float64, data []byte) (cos float64, ok bool) {
	if len(v) != len(data) || len(v) == 0 {
		return 0, false
	}
	var dot, dot2 float32 // two sums, so that neither waits for the other
	var square, square2 int32
	v = v[:len(data)]
	for i := 0; i+1 < len(data); i += 2 {
		a, b := int32(int8(data[i])), int32(int8(data[i+1]))
		dot += v[i] * float32(a)
		dot2 += v[i+1] * float32(b)
		square += a * a
		square2 += b * b
	}
	if n := len(data) - 1; n%2 == 0 {
		a := int32(int8(data[n]))
		dot += v[n] * float32(a)
		square += a * a
	}
	dot, square = dot+dot2, square+square2
	if square == 0 || length == 0 {
		return 0, false
	}
	return max(-1, min(1, float64(dot)/(length*math.Sqrt(float64(square))))), true
}

// Length is a vector's Euclidean length, 0 if the vector cannot be compared.
func Length(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0
	}
	return math.Sqrt(sum)
}
