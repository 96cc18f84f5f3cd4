// Where the work stands: of the chosen project, and of all.
import { useSignal } from "@preact/signals";
import { get, project } from "../lib/api";
import { command } from "../lib/command";
import { count } from "../lib/format";
import { useRows } from "../lib/keys";
import type { OverviewResponse, WorkState } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { s } from "../strings";
import { f } from "../strings/upkeep";
import { Ago, Command, Empty, Head, ID, Loaded, Section, Table, Tag } from "../ui/parts";

export default function State({ id }: { id?: string }) {
  const key = id ?? project.value;
  return key ? <One key={key} project={key} /> : (
    <>
      <Head title={f.title} command="remanence mind show" json="overview" />
      <All />
    </>
  );
}

const PAGE = 100; // projects

function All() {
  const overview = useResource((a) => get<OverviewResponse>("overview", {}, a), [], (e) => e.type === "session_completed");
  const rows = useRows();
  const shown = useSignal(PAGE);
  return (
    <Section title={f.overview} id="overview" aside={f.overviewNote}>
      <Loaded of={overview}>{(d) => d.projects.length === 0 ? <Empty title={f.none} /> : (
        <div ref={rows}>
          <Table caption={f.overview} of={d.projects.slice(0, shown.value)} id={(p) => p.state.project.key} columns={[
            { head: f.heads.project, cell: (p) => <span class="title-cell"><a href={"/state/" + p.state.project.key}>{p.state.project.name || p.state.project.key}</a><span class="sub">{p.state.project.branch}</span></span> },
            { head: f.heads.phase, spare: true, cell: (p) => p.state.phase || <span class="muted">–</span> },
            { head: f.heads.doing, wide: true, cell: (p) => <span class="title-cell">{p.state.active_work?.[0] ?? p.state.status ?? ""}{p.state.next_action && <span class="sub">{f.next}: {p.state.next_action}</span>}</span> },
            { head: f.heads.blockers, num: true, cell: (p) => p.state.blockers?.length ? <Tag tone="bad">{p.state.blockers.length}</Tag> : <span class="muted">0</span> },
            { head: f.heads.memories, num: true, spare: true, cell: (p) => count(p.memories) },
            { head: f.heads.sessions, num: true, spare: true, cell: (p) => count(p.sessions) },
            { head: f.heads.last, num: true, cell: (p) => <>{p.stale && <Tag tone="warn">{f.stale}</Tag>} <Ago at={p.state.project.last_event} /></> },
          ]} />
          {d.projects.length > shown.value && <p><button type="button" onClick={() => (shown.value += PAGE)}>{s.more}</button></p>}
        </div>
      )}</Loaded>
    </Section>
  );
}

function One({ project: key }: { project: string }) {
  const state = useResource((a) => get<WorkState>("state", { project: key }, a), [key], (e) => e.type === "changed");
  const name = state.data?.project.name || key;
  return (
    <>
      <Head title={f.of(name)} command={command("mind", "show", "--project", key)} json="state" params={{ project: key }} />
      <Loaded of={state}>{(d) => <Stands of={d} />}</Loaded>
      <All />
    </>
  );
}

const List = ({ of }: { of: string[] }) => of.length === 1 ? <>{of[0]}</> : <ul class="bullets">{of.map((x, i) => <li key={i}>{x}</li>)}</ul>;

function Stands({ of: d }: { of: WorkState }) {
  const known = d.phase || d.status || d.next_action || d.active_work?.length || d.blockers?.length;
  const sections = [...new Set((d.progress ?? []).map((i) => i.section))];
  return (
    <>
      <p class="muted">{d.files ? f.files(d.files) : f.store} {d.untrusted && <><span class="warn">{f.untrusted(d.untrusted)}</span> <Command>{f.trust}</Command></>}</p>
      {known ? (
        <dl class="kv section">
          {d.phase && <><dt>{f.phase}</dt><dd>{d.phase}</dd></>}
          {d.status && <><dt>{f.status}</dt><dd>{d.status}</dd></>}
          {!!d.active_work?.length && <><dt>{f.active}</dt><dd><List of={d.active_work} /></dd></>}
          {!!d.blockers?.length && <><dt>{f.blockers}</dt><dd class="bad"><List of={d.blockers} /></dd></>}
          {d.next_action && <><dt>{f.next}</dt><dd>{d.next_action}</dd></>}
          {d.updated && <><dt>{f.updated}</dt><dd><Ago at={d.updated} /></dd></>}
        </dl>
      ) : <Empty title={f.nothing} />}
      <div class="cols">
        <Section title={f.progress} id="progress">
          {sections.length === 0 ? <p class="muted">{f.progressNone}</p> : sections.map((name) => (
            <div key={name} class="stack"><h3>{name}</h3><ul class="bullets">{(d.progress ?? []).filter((i) => i.section === name).map((i, n) => <li key={n} class={i.done ? "muted" : ""}>{i.text} {i.done && `(${f.done})`} {i.id && <ID of={i.id} />}</li>)}</ul></div>
          ))}
        </Section>
        <Section title={f.decisions} id="decisions">
          {!d.decisions?.length ? <p class="muted">{f.decisionsNone}</p> : <ul class="stack">{[...d.decisions].reverse().map((x, n) => (
            <li key={n}><span class="line"><strong>{x.title}</strong>{x.id && <ID of={x.id} />}{x.status && x.status !== "Final" && <Tag tone="warn">{x.status}</Tag>}</span>{x.decision !== x.title && <p>{x.decision}</p>}{x.rationale && <p class="muted">{x.rationale}</p>}<p class="muted">{[x.date, x.decided_by].filter(Boolean).join(" · ")}</p></li>
          ))}</ul>}
        </Section>
        <Section title={f.sessions} id="sessions">
          {!d.sessions?.length ? <p class="muted">{f.sessionsNone}</p> : <ul class="stack">{[...d.sessions].reverse().map((x, n) => <li key={n}><strong>{x.title}</strong><p>{x.summary}</p>{!!x.next?.length && <p class="muted">{f.next}: {x.next.join("; ")}</p>}</li>)}</ul>}
        </Section>
      </div>
    </>
  );
}
