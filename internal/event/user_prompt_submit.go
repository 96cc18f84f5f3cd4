package event

// OwnCommand begins the commands of our plugin. Their turns show what we keep,
// and nothing of that may come back as memory.
const OwnCommand = "/remanence:"
