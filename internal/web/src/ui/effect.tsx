// A comparison of the sessions in which memory was used with the others.
import { commandHere } from "../lib/command";
import { count, percent } from "../lib/format";
import type { Effect as Data, EffectGroup, EffectMeasure } from "../lib/model_history";
import type { Resource } from "../lib/resource";
import { ef } from "../strings/history";
import { Command, Loaded, Section, Table } from "./parts";

export function Effect({ of: effect, days }: { of: Resource<Data>; days: number }) {
  return (
    <Section title={ef.title} aside={ef.aside(days)} id="effect">
      <Loaded of={effect}>{(d) => {
        const n = d.sessions;
        if (n.used + n.given + n.none === 0) return <p class="muted">{ef.none(n.past)}</p>;
        const few = d.measures.every((m) => m.verdict === "too_few");
        return (
          <>
            <p>{ef.sessions(n.used, n.given, n.none)} {ef.past(n.past)} {few && ef.few}</p>
            <Table caption={ef.table} of={d.measures} id={(m) => m.name} columns={[
              { head: ef.heads.what, wide: true, cell: (m) => <>{m.what}{!few && <span class="note">{verdict(m)}</span>}</> },
              { head: ef.heads.used, cell: (m) => <Value of={m} group={m.used} /> },
              { head: ef.heads.others, cell: (m) => <Value of={m} group={m.others} /> },
            ]} />
            <h3>{ef.limits}</h3>
            <ul class="items">{d.limits.map((x) => <li key={x}>{x}</li>)}</ul>
            <h3>{ef.method}</h3>
            <ul class="items">{d.method.map((x) => <li key={x}>{x}</li>)}</ul>
            <p><Command>{commandHere("stats", "--effect", "--days", String(days))}</Command></p>
          </>
        );
      }}</Loaded>
    </Section>
  );
}

/** What the numbers of a measure carry, in words. */
const verdict = (m: EffectMeasure): string => ef.verdict[m.verdict] + (m.verdict === "too_few" ? "" : ", " + ef.between(number(m, m.low), number(m, m.high)));

const number = (m: EffectMeasure, v: number): string => (m.share ? Math.round(100 * v) + " points" : count(v));

function Value({ of: m, group: g }: { of: EffectMeasure; group: EffectGroup }) {
  if (g.of === 0) return <span class="muted">–</span>;
  return <>{m.share ? percent(g.value) : count(g.value)}<span class="note">{m.share ? ef.of(g.part, g.of) : ef.mean(g.sessions)}</span></>;
}
