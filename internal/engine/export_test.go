package engine

// Reconnect builds the services anew over the engine's Config. Tests call it
// after they changed a field of that.
func (e *Engine) Reconnect() { e.connect(e.Config) }
