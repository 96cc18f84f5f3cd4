package event

const maxLinted = 20_000 // memories

const lintPage = 5000
