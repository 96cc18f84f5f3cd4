package extract

// autoCaptured tags what was kept by rule from a tool call.
const AutoCaptured = "auto-captured"
