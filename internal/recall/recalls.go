package recall

// Bounds of a page of receipts.
const ()

// SourceOf is the source of a session start that is answered with a trigger.
func SourceOf(trigger string) string {
	if trigger == "session_start" {
		return "startup"
	}
	return trigger
}
