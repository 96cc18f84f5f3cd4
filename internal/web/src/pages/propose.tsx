// Lines that AGENTS.md or CLAUDE.md lacks, each with its evidence. The page writes nothing.
import { get, project } from "../lib/api";
import { command } from "../lib/command";
import { clock } from "../lib/format";
import { useRows } from "../lib/keys";
import type { Proposed } from "../lib/model_history";
import { useResource } from "../lib/resource";
import { pr } from "../strings/history";
import { Command, Empty, Head, ID, Kind, Loaded, Section, Tag } from "../ui/parts";
import { ChooseProject } from "../ui/choose";

export default function Propose() {
  if (!project.value) return <><Head title={pr.title} /><ChooseProject title={pr.choose} /></>;
  return <Of key={project.value} />;
}

function Of() {
  const params = { project: project.value };
  const got = useResource((a) => get<Proposed>("propose", params, a), []);
  const rows = useRows();
  return (
    <>
      <Head title={pr.title} {...(got.data?.project.root ? { command: command("propose", "--project", got.data.project.root) } : {})} json="propose" params={params} />
      <Loaded of={got}>{(d) => (
        <div ref={rows} data-testid="propose">
          {d.lines.length === 0 && <Empty title={pr.none(d.file)}><p class="muted">{pr.noneNote(d.sessions)} {d.known > 0 && pr.known(d.known)}</p></Empty>}
          {d.lines.length > 0 && (
            <Section title={pr.lead(d.lines.length, d.file)} id="lines">
              {d.lines.map((l) => (
                <article key={l.id} data-row class="stack">
                  <p><Kind of={l.kind} /> {l.text} <Tag>{l.trust}</Tag></p>
                  <p class="muted">
                    {[l.said > 0 && pr.said(l.said), l.injected > 0 && pr.injected(l.injected), l.injected > 0 && pr.used(l.used)].filter(Boolean).join(", ")}
                    {", "}{clock(l.first)} – {clock(l.last)}; {pr.in} {l.sessions.slice(0, 5).map((s) => <span key={s}><ID of={s} /> </span>)}
                    · {pr.memories} {l.memories.slice(0, 5).map((m) => <span key={m}><ID of={m} /> </span>)}
                  </p>
                </article>
              ))}
            </Section>
          )}
          {d.contradicted.length > 0 && (
            <Section title={pr.contradicted} aside={pr.contradictedNote} id="contradicted">
              <ul class="items">{d.contradicted.map((c) => <li key={c.line} data-row><strong>{pr.line(c.line)}</strong> {c.text} <span class="muted">·</span> <ID of={c.id} /> {c.title} <span class="muted">{clock(c.at)}</span></li>)}</ul>
            </Section>
          )}
          {d.diff && (
            <Section title={pr.diff} id="diff">
              <pre class="diff">{d.diff.split("\n").map((line, i) => (
                line.startsWith("+") && !line.startsWith("+++") ? <ins key={i}>{line + "\n"}</ins> : line.startsWith("-") && !line.startsWith("---") ? <del key={i}>{line + "\n"}</del> : line + "\n"
              ))}</pre>
              <p class="muted">{pr.diffNote}</p>
              <p><Command>{command("propose", "--project", d.project.root ?? ".")}</Command></p>
            </Section>
          )}
          {d.left_out.length > 0 && (
            <Section title={pr.leftOut} id="left-out">
              <ul class="items">{d.left_out.map((l) => <li key={l.id} data-row><ID of={l.id} /> {l.title} <span class="muted">· {pr.why[l.why] ?? l.why}</span></li>)}</ul>
            </Section>
          )}
          {d.apart && <p class="muted">{pr.apart(d.apart, d.file)}</p>}
        </div>
      )}</Loaded>
    </>
  );
}
