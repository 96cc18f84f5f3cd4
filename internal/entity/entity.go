// Package entity finds the names that a memory mentions: files, symbols, packages, persons and services. It knows no
// store and no language beyond the shapes of names.
package entity

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/shell"
)

// Bounds of the names that a memory holds.
const (
	Most         = 20
	maxNameText  = 120  // characters
	namesWeighed = 1000 // of which these are the surest
)

// How sure it is that something is a name of its kind. A guess is below
// mem.LeastConfidence, and goes if it is not seen again.
const (
	nameStated  = 0.9 // by a field of the memory, or by who kept it
	nameMarked  = 0.8 // set in code
	nameShaped  = 0.6 // by its shape
	nameGuessed = 0.25
)

// Of returns the names that a memory holds: files, symbols, packages,
// persons and services, each once, the surest first.
func Of(m mem.Memory) []mem.NamedEntity {
	n := &finder{at: map[string]int{}}
	for _, f := range m.Files {
		n.add(mem.EntityFile, f, nameStated)
	}
	for _, f := range m.Facts {
		n.stated(f)
	}
	n.installed(m.Command)
	text := strings.Join(append([]string{m.Title, m.Body}, m.Facts...), "\n")
	n.marked(text)
	n.words(text)
	slices.SortStableFunc(n.out, func(a, b mem.NamedEntity) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return n.out[:min(len(n.out), Most)]
}

// Symbols returns the names in a text that have the shape of names in code, each once: parseDate, max_size.
func Symbols(text string) (names []string) {
	n := &finder{at: map[string]int{}}
	n.words(text)
	for _, e := range n.out {
		if e.Kind == mem.EntitySymbol {
			names = append(names, e.Name)
		}
	}
	return names
}

// finder collects the entities that a memory mentions.
type finder struct {
	out []mem.NamedEntity
	at  map[string]int // by kind and name
}

func (n *finder) add(k mem.EntityKind, name string, sure float64) {
	name = strings.TrimSpace(name)
	if name == "" || len(n.out) >= namesWeighed || len([]rune(name)) > maxNameText ||
		strings.Contains(name, "[secret:") ||
		inject.Suspicious(name) {
		return
	}
	key := string(k) + " " + name
	if i, ok := n.at[key]; ok {
		n.out[i].Confidence = max(n.out[i].Confidence, sure)
		return
	}
	if slices.ContainsFunc(
		n.out,
		func(o mem.NamedEntity) bool { return o.Confidence > sure && strings.EqualFold(o.Name, name) },
	) {
		return // it is known what that is
	}
	n.at[key] = len(n.out)
	n.out = append(n.out, mem.NamedEntity{Kind: k, Name: name, Confidence: sure})
}

// stated reads a fact that says what a name is: "uses Valkey (library)".
func (n *finder) stated(fact string) {
	said, what, found := strings.Cut(strings.TrimSuffix(fact, ")"), " (")
	if !found || !strings.HasSuffix(fact, ")") {
		return
	}
	kind, ok := map[string]mem.EntityKind{
		"file": mem.EntityFile, "symbol": mem.EntitySymbol, "function": mem.EntitySymbol, "class": mem.EntitySymbol,
		"method": mem.EntitySymbol, "type": mem.EntitySymbol,
		"package": mem.EntityPackage, "library": mem.EntityPackage, "module": mem.EntityPackage,
		"dependency": mem.EntityPackage,
		"person":     mem.EntityPerson, "user": mem.EntityPerson, "team": mem.EntityPerson,
		"service": mem.EntityService, "server": mem.EntityService, "database": mem.EntityService, "system": mem.EntityService,
		"api": mem.EntityService,
	}[strings.ToLower(what)]
	if words := strings.Fields(said); ok && len(words) > 0 {
		n.add(kind, words[len(words)-1], nameStated)
	}
}

// installed reads the packages that a command installs.
func (n *finder) installed(command string) {
	for _, words := range shell.Words(command) {
		if len(words) < 3 ||
			!slices.Contains(
				[]string{
					"npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "cargo", "go", "apt", "apt-get", "brew", "gem",
					"composer",
				},
				words[0],
			) ||
			!slices.Contains([]string{"install", "i", "add", "get", "require"}, words[1]) {
			continue
		}
		for _, w := range words[2:] {
			if !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, ".") {
				n.add(mem.EntityPackage, unversioned(w), nameMarked)
			}
		}
	}
}

// unversioned is the name of a package without its version: left-pad@1.3.0.
func unversioned(s string) string {
	if i := strings.LastIndexAny(s, "@="); i > 0 {
		return strings.TrimRight(s[:i], "=<>~")
	}
	return s
}

// marked reads what is set in code.
func (n *finder) marked(text string) {
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts)-1; i += 2 {
		w := strings.TrimSuffix(parts[i], "()")
		switch {
		case isPackage(w):
			n.add(mem.EntityPackage, unversioned(w), nameMarked)
		case isIdentifier(w) && len(w) > 2:
			n.add(mem.EntitySymbol, w, nameMarked)
		}
	}
}

// words reads what has the shape of a name, or stands where one would.
func (n *finder) words(text string) {
	text = strings.ReplaceAll(text, "`", " ")
	fields := strings.Fields(text)
	for i, f := range fields {
		w := strings.Trim(f, ".,;:!?\"'()[]{}<>")
		called := strings.Contains(f, w+"()")
		switch {
		case w == "" || strings.HasPrefix(w, "m_"):
		case strings.Contains(w, "://"):
			_, rest, _ := strings.Cut(w, "://")
			host, _, _ := strings.Cut(rest, "/")
			if _, at, found := strings.Cut(host, "@"); found {
				host = at
			}
			if isHost(portless(host)) {
				n.add(mem.EntityService, strings.ToLower(portless(host)), nameShaped)
			}
		case isPackage(w):
			n.add(mem.EntityPackage, unversioned(w), nameShaped)
		case isHost(portless(w)):
			n.add(mem.EntityService, strings.ToLower(portless(w)), nameShaped)
		case knownService(w) != "":
			n.add(mem.EntityService, knownService(w), nameShaped)
		case isIdentifier(w) && (called || shaped(w)):
			n.add(mem.EntitySymbol, w, nameShaped)
		case strings.HasPrefix(w, "@") && len(w) > 2 && isWord(w[1:]):
			n.add(mem.EntityPerson, w, nameGuessed)
		case i > 0 && isServiceWord(w) && isWord(fields[i-1]) &&
			!slices.Contains([]string{
				"the", "a", "an", "our", "this", "that", "each", "every", "one", "new", "old", "same",
				"other", "its", "and", "or",
			}, strings.ToLower(fields[i-1])):
			n.add(mem.EntityService, strings.ToLower(fields[i-1]+" "+w), nameGuessed)
		case i > 1 && beforePerson(fields[i-2]+" "+fields[i-1]) && capital(w):
			n.add(mem.EntityPerson, w, nameShaped)
		}
	}
}

func portless(host string) string {
	name, port, found := strings.Cut(host, ":")
	if found && strings.Trim(port, "0123456789") == "" {
		return name
	}
	return host
}

// isPackage reports whether a word is named as packages are: by where they
// come from, by a scope, or with a version.
func isPackage(w string) bool {
	first, rest, path := strings.Cut(w, "/")
	switch {
	case !path:
		name, version, found := strings.Cut(w, "@")
		return found && name != "" && isWord(strings.ReplaceAll(name, "-", "")) && version != "" &&
			version[0] >= '0' &&
			version[0] <= '9'
	case strings.HasPrefix(w, "@"):
		return len(first) > 2 && isWord(strings.ReplaceAll(first[1:], "-", "")) && rest != "" &&
			!strings.Contains(rest, "/")
	}
	return isHost(first) &&
		slices.Contains(
			[]string{
				"github.com", "gitlab.com", "bitbucket.org", "golang.org", "google.golang.org", "gopkg.in", "k8s.io",
			},
			first,
		) &&
		rest != ""
}

// isHost reports whether a word is the name of a machine on a network.
func isHost(w string) bool {
	labels := strings.Split(strings.ToLower(w), ".")
	if len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if l == "" || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	switch labels[len(labels)-1] {
	case "com",
		"org", "net", "io", "dev", "cloud", "internal", "local", "localdomain", "example", "invalid", "test", "de",
		"fr", "eu", "uk", "app",
		"in":
		return len(labels) > 2 ||
			labels[len(labels)-1] != "test" && labels[len(labels)-1] != "in" && labels[len(labels)-1] != "app"
	}
	return false
}

// isIdentifier reports whether a word may name something in a program.
func isIdentifier(w string) bool {
	for _, part := range strings.Split(strings.ReplaceAll(strings.ReplaceAll(w, "::", "."), "->", "."), ".") {
		if part == "" || part[0] >= '0' && part[0] <= '9' ||
			strings.ContainsFunc(
				part,
				func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) },
			) {
			return false
		}
	}
	return w != ""
}

// shaped reports whether an identifier is one by its shape: sendWebhook,
// max_tries, HTTP_PROXY, or with two of its parts named.
func shaped(w string) bool {
	lowerUpper, letters := false, 0
	was := rune(0)
	for _, r := range w {
		if unicode.IsUpper(r) && unicode.IsLower(was) {
			lowerUpper = true
		}
		if unicode.IsLetter(r) {
			letters++
		}
		was = r
	}
	return letters > 4 && (lowerUpper || strings.Contains(strings.Trim(w, "_"), "_"))
}

func isWord(w string) bool {
	return w != "" &&
		!strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func capital(w string) bool {
	for i, r := range w {
		if i == 0 && !unicode.IsUpper(r) || i > 0 && !unicode.IsLower(r) {
			return false
		}
	}
	return len(w) > 2
}

// beforePerson reports whether two words stand before the name of a person.
func beforePerson(before string) bool {
	switch strings.ToLower(before) {
	case "agreed with",
		"according to", "reviewed by", "owned by", "decided by", "approved by", "asked by", "reported by",
		"thanks to", "spoke to", "talked to", "mit absprache", "accord avec",
		"acuerdo con":
		return true
	}
	return false
}

// isServiceWord reports whether a word says that what stands before it is a service.
func isServiceWord(w string) bool {
	switch strings.ToLower(w) {
	case "service", "server", "gateway", "daemon", "cluster", "database", "broker", "api":
		return true
	}
	return false
}

// knownService returns the name of a service that is known by one word, in any
// case; empty if it is none. A switch costs a start nothing, unlike a map.
func knownService(word string) string {
	w := strings.ToLower(word)
	switch w {
	case "postgresql":
		return "postgres"
	case "mongo":
		return "mongodb"
	case "k8s":
		return "kubernetes"
	case "postgres", "mysql", "mariadb", "sqlite", "redis", "valkey", "kafka", "rabbitmq", "mongodb",
		"elasticsearch", "opensearch", "nginx", "haproxy", "docker", "kubernetes", "memcached", "stripe",
		"sentry", "grafana", "prometheus", "vault", "consul", "etcd", "nats", "minio", "s3", "dynamodb",
		"clickhouse", "cassandra", "keycloak", "jenkins", "github", "gitlab", "ollama":
		return w
	}
	return ""
}
