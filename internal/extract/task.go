package extract

import (
	"cmp"
	"encoding/json"
	"strings"

	"remanence/internal/chars"
)

// maxTaskID bounds the id of a task, in bytes; a longer one is none.
const maxTaskID = 64

// Todo is one item of a list the agent keeps. The task tools name it by id.
type Todo struct {
	Id, Text, Status string
	Change           bool // it changes the task that the id names
	Shown            bool // it only shows how the task stands
}

// Done reports whether nothing is left to do about it.
func (t Todo) Done() bool {
	return t.Status == "completed" || t.Status == "deleted" || t.Status == "cancelled"
}

// TaskIn is the task that some objects describe, each field from the first that
// has it. A task's own object calls its id "id", a call's input or answer not.
func TaskIn(objects ...map[string]json.RawMessage) (t Todo) {
	for _, o := range objects {
		t.Id = cmp.Or(t.Id, idText(o["taskId"]), idText(o["task_id"]), idText(o["id"]))
		subject := cmp.Or(Text(o["content"]), Text(o["subject"]), Text(o["taskSubject"]))
		t.Text = cmp.Or(t.Text, chars.Clip(chars.Line(subject), 160))
		t.Status = cmp.Or(t.Status, Text(o["status"]))
	}
	return t
}

// idText is an id that is a string or a number.
func idText(raw json.RawMessage) string {
	id := Text(raw)
	if len(raw) > 0 && raw[0] >= '0' && raw[0] <= '9' {
		id = string(raw)
	}
	if len(id) > maxTaskID {
		return ""
	}
	return chars.Line(id)
}

// TaskNumber is the number that a task tool's answer gives the task: "#12".
func TaskNumber(output string) string {
	_, rest, ok := strings.Cut(output, "#")
	if !ok {
		return ""
	}
	id := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if len(id) > maxTaskID {
		return ""
	}
	return id
}

// ListedTag tags items of the agent's own list.
const ListedTag = "todo"

// ListedKey begins their keys: a tag may be anybody's.
const ListedKey = "todo:"
