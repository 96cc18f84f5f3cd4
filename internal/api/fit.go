package api

import "encoding/json"

// MaxRead bounds the answer to a read of a list, in bytes of JSON.
const MaxRead = 64 << 10

// List is the response of a route that lists rows. A read whose answer would exceed MaxRead gets fewer rows than it
// asked for, and one at least. POST gets all.
type List interface {
	Rows() int
	// Head returns the response with the first n rows, which says that there are more. The rows after them are read with
	// n added to the offset of the request, unless the route says otherwise.
	Head(n int) any
}

// fit encodes the answer to a read within MaxRead.
func fit(answer any) (any, error) {
	list, ok := answer.(List)
	if !ok {
		return answer, nil
	}
	text, err := json.Marshal(answer)
	for n := list.Rows(); err == nil && len(text) > MaxRead && n > 1; {
		n = max(1, min(n-1, n*MaxRead/len(text)))
		text, err = json.Marshal(list.Head(n))
	}
	return json.RawMessage(text), err
}
