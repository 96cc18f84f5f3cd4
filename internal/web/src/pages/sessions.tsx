import { getRows, project } from "../lib/api";
import { commandHere } from "../lib/command";
import { count, span } from "../lib/format";
import { useRows } from "../lib/keys";
import type { Sessions as Data, SessionRow } from "../lib/model";
import { useResource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { p } from "../strings/pages";
import { Ago, Command, Empty, Facet, Head, Loaded, Stored, Table, Tag } from "../ui/parts";

const t = p.sessions;
const PAGE = 50;
const days: Record<string, number> = { day: 1, week: 7, month: 30 };

export default function Sessions() {
  const q = query.value;
  const agent = q.get("agent") ?? "", branch = q.get("branch") ?? "", when = q.get("when") ?? "";
  const shown = Number(q.get("shown")) || PAGE;
  const since = days[when] ? new Date(new Date().setHours(0, 0, 0, 0) - (days[when] - 1) * 86_400_000).toISOString() : ""; // days as on Today and Usage
  const params = { project: project.value, agent, branch, since, limit: Math.min(shown, 200) };
  const list = useResource((a) => getRows<Data>("sessions", "sessions", params, a), [agent, branch, when, shown], (e) => e.type !== "new_observation");
  const rows = useRows();
  const filtered = !!(agent || branch || when);
  return (
    <>
      <Head title={t.title} command={commandHere("status")} json="sessions" params={params} />
      <Loaded of={list}>
        {(d) => (
          <>
            <div class="facets">
              <Facet title={t.when} chosen={when} choose={(v) => setQuery({ when: v, shown: "" })} values={[{ value: "day", label: t.day }, { value: "week", label: t.week }, { value: "month", label: t.month }]} />
              <Facet title={t.agent} chosen={agent} choose={(v) => setQuery({ agent: v, shown: "" })} values={d.agents} />
              <Facet title={t.branch} chosen={branch} choose={(v) => setQuery({ branch: v, shown: "" })} values={d.branches} />
            </div>
            {d.sessions.length === 0 ? (
              <Empty title={filtered ? t.empty : t.emptyAll}>
                {filtered
                  ? <button type="button" onClick={() => setQuery({ agent: "", branch: "", when: "" })}>{t.clear}</button>
                  : <><p class="muted">{t.emptyNote}</p><p><Command>remanence install claude-code</Command></p></>}
              </Empty>
            ) : (
              <div ref={rows}>
                <Table caption={t.caption} of={d.sessions} id={(s) => s.id} columns={[
                  { head: t.heads.last, cell: (s) => <Ago at={s.last_event} /> },
                  { head: t.heads.title, wide: true, cell: (s) => <a class="plain" dir="auto" href={"/sessions/" + s.short}><Stored of={s.result || s.first_prompt || t.untitled(s.prompts)} /></a> },
                  ...(project.value ? [] : [{ head: t.heads.project, spare: true, cell: (s: SessionRow) => <span class="title-cell">{s.project_name}</span> }]),
                  { head: t.heads.agent, spare: true, cell: (s) => s.agent },
                  { head: t.heads.state, spare: true, cell: (s) => <State of={s} /> },
                  { head: t.heads.lasted, num: true, spare: true, cell: (s) => span(Date.parse(s.last_event) - Date.parse(s.created)) },
                  { head: t.heads.prompts, num: true, spare: true, cell: (s) => count(s.prompts) },
                  { head: t.heads.files, num: true, spare: true, cell: (s) => count(s.files) },
                  { head: t.heads.memories, num: true, cell: (s) => count(s.memories) },
                  { head: t.heads.injected, num: true, cell: (s) => count(s.tokens) },
                ]} />
                <p class="muted foot">{t.total(d.sessions.length, d.total)}{" "}
                  {d.sessions.length < d.total && shown < 200 && <button type="button" onClick={() => setQuery({ shown: String(shown + PAGE) })}>{p.search.more}</button>}
                </p>
              </div>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

const MAY_GO_ON = 30 * 60_000; // milliseconds without an event after which a prompt is not worked on any more, as for a recap

/** How a session stands. */
export function State({ of: s }: { of: SessionRow }) {
  const lost = s.status === "abandoned" || (s.processing && Date.now() - Date.parse(s.last_event) > MAY_GO_ON);
  const { word, note, tone } = s.status === "completed" ? { ...t.states.ended, note: s.end_reason } : lost ? t.states.silent : s.processing ? t.states.working : t.states.open;
  return <Tag tone={tone} title={note}>{word}</Tag>;
}
