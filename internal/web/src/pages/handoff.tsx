// Where the work on a project stands, for the next person or agent. It is the page of "remanence handoff".
import { get, project } from "../lib/api";
import { command } from "../lib/command";
import { clock, exact } from "../lib/format";
import { useRows } from "../lib/keys";
import type { TimelineEntry } from "../lib/model";
import type { Handoff as Data } from "../lib/model_history";
import { useResource } from "../lib/resource";
import { ho } from "../strings/history";
import { Command, Empty, Head, ID, Kind, Loaded, Section } from "../ui/parts";
import { ChooseProject } from "../ui/choose";

export default function Handoff() {
  if (!project.value) return <><Head title={ho.title} /><ChooseProject title={ho.choose} /></>;
  return <Of key={project.value} />;
}

function Of() {
  const params = { project: project.value };
  const got = useResource((a) => get<Data>("handoff_page", params, a), [], (e) => e.type === "changed");
  const rows = useRows();
  const root = got.data?.project.root;
  return (
    <>
      <Head title={ho.title} {...(root ? { command: command("handoff", "--project", root) } : {})} json="handoff_page" params={params} />
      <Loaded of={got}>{(d) => !d.goal && d.sessions.length + d.decisions.length + d.lessons.length + d.open.length === 0
        ? <Empty title={ho.none}><p class="muted">{ho.noneNote}</p></Empty> : (
          <div ref={rows} data-testid="handoff">
            <p class="muted">{ho.note}</p>
            <Facts title={ho.goal} of={[[ho.asked, d.goal], [ho.askedLast, d.asked]]} />
            <Facts title={ho.state} of={[
              [ho.phase, d.phase], [ho.status, d.status], [ho.active, d.active.join("; ")], [ho.blocked, d.blockers.join("; ")], [ho.next, d.next],
              [ho.changed, d.files.join(", ")],
            ]} />
            {d.sessions.some((s) => s.outcome) && (
              <Section title={ho.sessions} id="sessions">
                <ul class="items">{d.sessions.filter((s) => s.outcome).map((s) => (
                  <li key={s.id} data-row><ID of={s.id} /> {s.outcome} <span class="muted">{s.agent} <time dateTime={s.at} title={exact(s.at)}>{clock(s.at)}</time></span></li>
                ))}</ul>
              </Section>
            )}
            <Entries title={ho.decisions} of={d.decisions} />
            <Entries title={ho.lessons} of={d.lessons} />
            <Entries title={ho.deadEnds} of={d.dead_ends} />
            <Entries title={ho.open} of={d.open} />
            {d.commands.length > 0 && (
              <Section title={ho.commands} id="commands">{d.commands.map((c) => <p key={c}><Command>{c}</Command></p>)}</Section>
            )}
            {root && <Section title={ho.take} id="take"><p class="muted">{ho.takeNote}</p><p><Command>{command("handoff", "HANDOFF.md", "--project", root)}</Command></p></Section>}
          </div>
        )}</Loaded>
    </>
  );
}

function Facts({ title, of }: { title: string; of: [string, string | undefined][] }) {
  const known = of.filter(([, text]) => text);
  if (known.length === 0) return null;
  return <Section title={title}><ul class="items">{known.map(([name, text]) => <li key={name}><strong>{name}</strong> {text}</li>)}</ul></Section>;
}

function Entries({ title, of }: { title: string; of: TimelineEntry[] }) {
  if (of.length === 0) return null;
  return (
    <Section title={title}>
      <ul class="items">{of.map((e) => <li key={e.id + e.title} data-row><ID of={e.id} /> <Kind of={e.what} /> {e.title} <time class="muted" dateTime={e.at} title={exact(e.at)}>{clock(e.at)}</time></li>)}</ul>
    </Section>
  );
}
