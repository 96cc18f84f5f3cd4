package extract

// AutoCaptured tags what was kept by rule from a tool call.
const AutoCaptured = "auto-captured"
