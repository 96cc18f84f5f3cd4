package daemon

import "time"

const startupGrace = 5 * time.Second // the age of a daemon that has not looked at old jobs yet
