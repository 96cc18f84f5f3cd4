package doctor

import (
	"strings"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/team"
)

// teamSentence says when memories were last exchanged with a team.
func teamSentence(t mem.TeamState, now time.Time) string {
	switch {
	case t.Error != "":
		return ui.OneLine(t.Team) + ": not synchronized: remanence doctor"
	case t.Synced.IsZero():
		return ui.OneLine(t.Team) + ": not synchronized since the daemon started"
	}
	return ui.OneLine(t.Team) + ": synchronized " + ui.Ago(now.Sub(t.Synced))
}

// TeamItems checks the server on which a team shares memories, if one is configured.
func TeamItems(t *team.Health) []Check {
	if t == nil {
		return nil
	}
	bad := func(message, why string, fix ...string) Check {
		c := Bad("team", false, fault.TeamServer.WithMessage("%s", message).Because("%s", why).FixedBy(fix...))
		c.State = setup.Warn
		return c
	}
	if t.Server == nil {
		return []Check{bad("nothing is shared with the team", t.Error, "remanence config get share.dsn",
			"what waits is sent when the server can be used; to leave the team: remanence config unset share.dsn")}
	}
	s, kinds := t.Server, make([]string, len(t.Kinds))
	for i, k := range t.Kinds {
		kinds[i] = string(k)
	}
	list := []Check{Good("team", false, "%s as %s: %s of %s in %s are sent to %s, %s, which has %s", s.Team, s.Role,
		strings.Join(kinds, ", "), "project scope", strings.Join(t.Projects, ", "), s.Address,
		ui.Plural(s.Members, "member", "members"), ui.Plural(s.Memories, "memory", "memories"))}
	if t.Error != "" {
		list = append(list, bad("the last synchronization with the team failed", t.Error, "remanence doctor"))
	}
	if s.Everyone {
		list = append(list, bad("your role sees the memories of every team", "it is a superuser, or ignores row security",
			"ALTER ROLE "+s.Role+" NOSUPERUSER NOBYPASSRLS"))
	}
	if !s.Local && !s.Encrypted {
		list = append(list, bad("what is shared crosses the network unencrypted", "the connection does not use TLS",
			"add ?sslmode=verify-full to share.dsn"))
	}
	return list
}
