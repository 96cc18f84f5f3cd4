package event

// JobTail is the kind of job that brings the tail of a project's handoff up to date.
const JobTail = "tail"
