package spool

import (
	"encoding/binary"
	"time"
)

// Frame is a record as this version writes it.
func Frame(json []byte, at time.Time, session string) []byte { return frame(json, at, session) }

// NewerFrame is a record as a later version could write it.
func NewerFrame(json []byte, at time.Time, session string) []byte {
	b := frame(json, at, session)
	b[5] = version + 1
	binary.LittleEndian.PutUint32(b[checkAt:], check(b, json))
	return b
}
