//go:build postgres || backends

package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"remanence/internal/store/stored"
)

// teamSchema is the schema that docs/team.sql makes.
const teamSchema = "remanence_team"

// Team is the memories that the members of a team share on a server. It implements stored.TeamStore. Who sees them is a
// rule of the server, of which this program knows nothing.
type Team struct {
	pool *pgxpool.Pool
	team string
}

var _ stored.TeamStore = (*Team)(nil)

// OpenTeam connects to the server of a team. It returns stored.ErrNoTeams if the server is not set up for teams,
// stored.ErrNoMember if the role does not belong to this one, and mem.ErrAway if the server cannot be reached.
func OpenTeam(ctx context.Context, cfg Config, team string) (*Team, error) {
	cfg.Schema = teamSchema
	pool, err := connect(ctx, cfg.withDefaults())
	if err != nil {
		return nil, wrap("open the team's memory", err)
	}
	var set, member bool
	// Who may not use the schema sees that it is there, and not what is in it.
	if err = get(ctx, pool, query("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?)", teamSchema),
		&set); err == nil && set {
		err = get(ctx, pool, query("SELECT ? = ANY (remanence_team.mine())", team), &member)
	}
	switch {
	case err != nil && !noSchema(err):
		err = wrap("open the team's memory", err)
	case err == nil && !set:
		err = stored.ErrNoTeams
	case !member:
		err = fmt.Errorf("%w %q", stored.ErrNoMember, team)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &Team{pool, team}, nil
}

// noSchema reports whether an error says that the role may not use the schema: it belongs to no team.
func noSchema(err error) bool { return codeOf(err) == "42501" }

// teamHash is the hash of a text, as Note.Hash has it; "" of a deleted file.
const teamHash = "CASE WHEN m.deleted THEN '' ELSE left(encode(sha256(convert_to(m.body, 'UTF8')), 'hex'), 32) END"

// Changes implements stored.TeamStore.
func (t *Team) Changes(ctx context.Context, project string, after int64, known map[string]string, n int) (
	[]stored.TeamFile, int64, error,
) {
	var last int64
	if err := get(ctx, t.pool, query("SELECT coalesce(max(version), 0) FROM memory WHERE team = ? AND project = ?", t.team,
		project), &last); err != nil || last <= after {
		return nil, max(after, last), wrap("read the team's memory", err)
	}
	files := slices.Sorted(maps.Keys(known))
	hashes := make([]string, len(files))
	for i, f := range files {
		hashes[i] = known[f]
	}
	all, err := rows(ctx, t.pool, query(`SELECT m.file, m.body, m.deleted, m.author, m.version FROM memory m
		LEFT JOIN unnest(?::text[], ?::text[]) k (file, hash) ON k.file = m.file
		WHERE m.team = ? AND m.project = ? AND m.version > ?
		AND k.hash IS DISTINCT FROM `+teamHash+" ORDER BY m.version LIMIT ?", files, hashes, t.team, project, after, n),
		into(func(f *stored.TeamFile) []any { return []any{&f.File, &f.Text, &f.Deleted, &f.Author, &f.Version} }))
	if len(all) == n && n > 0 {
		last = all[n-1].Version
	}
	return all, last, wrap("read the team's memory", err)
}

// Put implements stored.TeamStore.
func (t *Team) Put(ctx context.Context, project, file, text, was string) error {
	return t.change(ctx, query(`INSERT INTO memory AS m (team, project, file, body) VALUES (?, ?, ?, ?)
		ON CONFLICT (team, project, file) DO UPDATE SET body = excluded.body, deleted = false
		WHERE m.deleted OR m.body = excluded.body OR `+teamHash+" = ?", t.team, project, file, text, was))
}

// Delete implements stored.TeamStore.
func (t *Team) Delete(ctx context.Context, project, file, was string) error {
	return t.change(ctx, query(`UPDATE memory m SET body = '', deleted = true WHERE team = ? AND project = ? AND file = ?
		AND (m.deleted OR `+teamHash+" = ?)", t.team, project, file, was))
}

// change changes one file.
func (t *Team) change(ctx context.Context, s *statement) error {
	tag, err := t.pool.Exec(ctx, s.sql(), s.args...)
	if err == nil && tag.RowsAffected() == 0 {
		return stored.ErrNewer
	}
	return wrap("write the team's memory", err)
}

// Server implements stored.TeamStore.
func (t *Team) Server(ctx context.Context) (v stored.TeamServer, err error) {
	conf := t.pool.Config().ConnConfig
	v.Address, v.Team = fmt.Sprintf("postgres://%s@%s:%d/%s", conf.User, conf.Host, conf.Port, conf.Database), t.team
	v.Encrypted, v.Local = conf.TLSConfig != nil, isLocal(conf.Host)
	err = t.pool.QueryRow(ctx, `SELECT session_user, split_part(current_setting('server_version'), ' ', 1),
		(SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user),
		(SELECT count(*) FROM pg_roles WHERE rolcanlogin AND NOT rolsuper AND
			pg_has_role(oid, (SELECT oid FROM pg_roles WHERE rolname = $1), 'MEMBER')),
		(SELECT count(*) FROM memory WHERE team = $1 AND NOT deleted)`, t.team).
		Scan(&v.Role, &v.Version, &v.Everyone, &v.Members, &v.Memories)
	return v, wrap("ask the team's server", err)
}

// Close closes the connections.
func (t *Team) Close() error {
	t.pool.Close()
	return nil
}
