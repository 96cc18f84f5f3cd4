package erase

// PrivateSpan is the kind of a Find that is a private span.
const PrivateSpan = "private"
