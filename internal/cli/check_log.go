package cli

// longLog is the size of the database's log, in bytes, from which on it is
// said that it cannot be folded in: twice what the store allows it.
const longLog = 64 << 20

// logBytes is the size of the database's log.
func (p Paths) logBytes() int64 { return sizeOfFile(p.Database() + "-wal") }

func (a *app) checkLog() checkItem {
	if n := a.paths.logBytes(); n > longLog {
		return bad("log", false, faultLog.because("%s-wal has %s", a.paths.Database(), bytesText(n)))
	}
	return good("log", false, "the database's log is short")
}
