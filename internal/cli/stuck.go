package cli

// When what goes on counts as standing still. A person sees it within a minute.
const ()
