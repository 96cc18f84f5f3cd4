// What memory costs in tokens, and whether it is used.
import { useSignal } from "@preact/signals";
import { get, project } from "../lib/api";
import { commandHere } from "../lib/command";
import { mark } from "../lib/act";
import { count, many, percent } from "../lib/format";
import { useRows } from "../lib/keys";
import type { Effect as EffectData } from "../lib/model_history";
import type { Day, DeadItem, Economy as Data } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { e as w, trigger } from "../strings/recalls";
import { Ago, Bar, Empty, Facet, Figures, Head, ID, Kind, Loaded, Section, Table, Tag } from "../ui/parts";
import { Stacked } from "../ui/charts";
import { Effect } from "../ui/effect";

export default function Economy() {
  const days = Number(query.value.get("days")) || 30;
  const params = { project: project.value, days };
  const data = useResource((a) => get<Data>("economy", params, a), [days]);
  const effect = useResource((a) => get<EffectData>("effect", params, a), [days]);
  return (
    <>
      <Head title={w.title} command={commandHere("stats", "--days", String(days))} json="economy" params={params}>
        <Facet title={w.period} values={[7, 30, 90].map((n) => ({ value: String(n), label: w.days(n) }))} chosen={String(days)} choose={(v) => setQuery({ days: v === "30" ? "" : v })} />
      </Head>
      <Loaded of={data}>{(d) => d.sessions < 3 ? <Few n={d.sessions} /> : <><Verdict of={d} effect={effect.data} days={days} /><Full of={d} reload={data.reload} /><Effect of={effect} days={days} /></>}</Loaded>
    </>
  );
}

const Few = ({ n }: { n: number }) => (
  <Empty title={w.needs}><p><Bar share={n / 3} label={w.soFar(n)} /> <span class="muted">{w.soFar(n)}</span></p></Empty>
);

/** What memory was worth and what it cost, in one sentence. */
function Verdict({ of: d, effect, days }: { of: Data; effect: EffectData | undefined; days: number }) {
  const n = effect?.sessions;
  return <p class="lead" data-testid="verdict">{n && n.used + n.given > 0 ? w.verdict(n.used, n.used + n.given, days) : w.verdictNone(days)} {w.verdictCost(injectedTokens(d.total) / Math.max(1, d.sessions), d.total.results / Math.max(1, d.sessions), d.tools_tokens, d.injected ? percent(d.used / d.injected) : "–", d.sessions, d.estimate.tokens)}</p>;
}

const injectedTokens = (d: Day): number => Object.values(d.tokens).reduce((a, b) => a + b, 0);

function Full({ of: d, reload }: { of: Data; reload: () => void }) {
  const t = d.total;
  const series = [
    ...d.triggers.map((name) => ({ name: trigger(name), values: d.days.map((x) => x.tokens[name] ?? 0) })),
    ...(t.results ? [{ name: w.results, values: d.days.map((x) => x.results) }] : []),
    ...(t.model ? [{ name: w.model, values: d.days.map((x) => x.model) }] : []),
  ];
  const line = t.avoided ? { name: w.avoided, values: d.days.map((x) => x.avoided) } : undefined;
  return (
    <>
      <Section title={w.share} id="share" aside={w.shareNote}>
        <p class="lead"><strong>{d.injected ? percent(d.used / d.injected) : "–"}</strong> {w.rateNote(d.used, d.injected)}. {d.cut && w.cut}</p>
        {d.by_trigger.length > 0 && <Table caption={w.share} of={d.by_trigger} id={(x) => x.trigger} columns={[
          { head: w.trigger, wide: true, cell: (x) => trigger(x.trigger) },
          { head: w.times, num: true, cell: (x) => count(x.injected) },
          { head: w.used, num: true, cell: (x) => count(x.used) },
          { head: w.shareHead, num: true, cell: (x) => <span class="score"><Bar share={x.used / x.injected} label={percent(x.used / x.injected)} /><span class="num">{percent(x.used / x.injected)}</span></span> },
        ]} />}
      </Section>
      <Section title={w.cost} id="cost"><Figures of={[
        { term: w.injected, value: w.tok(injectedTokens(t)) },
        { term: w.perSession, value: w.tok(injectedTokens(t) / Math.max(1, d.sessions)) },
        { term: w.results, value: w.tok(t.results), note: many(t.calls, "call") },
        { term: w.tools, value: w.tok(d.tools_tokens), note: w.toolsNote },
        { term: w.model, value: w.tok(t.model), note: w.modelNote },
      ]} /></Section>
      <Section title={w.measured} id="days">
        <Stacked caption={w.chart} labels={d.days.map((x) => x.day.slice(5))} series={series} line={line} />
        <details class="twin"><summary>{w.table}</summary><div class="scroll hscroll">
          <Table caption={w.measured} of={[...d.days].reverse()} id={(x) => x.day} columns={[
            { head: w.day, cell: (x) => x.day },
            ...d.triggers.map((name) => ({ head: trigger(name), num: true, cell: (x: Day) => count(x.tokens[name] ?? 0) })),
            { head: w.results, num: true, cell: (x) => count(x.results) },
            { head: w.model, num: true, cell: (x) => count(x.model) },
            { head: w.avoided, num: true, cell: (x) => count(x.avoided) },
            { head: w.injections, num: true, cell: (x) => count(x.injected) },
            { head: w.abstained, num: true, cell: (x) => count(x.abstained) },
          ]} />
        </div></details>
      </Section>
      <Section title={w.estimate} id="estimate">
        {d.estimate.tokens > 0
          ? <p><strong>≈ {count(d.estimate.tokens)}</strong> tokens {w.avoided} <span class="muted">= {w.estimateText(d.estimate.items, d.estimate.per_read, d.estimate.reads)}</span></p>
          : <p class="muted">{w.estimateNone}</p>}
        <p class="muted">{w.formula}: {d.estimate.formula}.</p>
      </Section>
      <Section title={w.dead} id="dead" aside={w.deadNote}><DeadList of={d.dead} reload={reload} /></Section>
    </>
  );
}

const PAGE = 20; // memories of dead weight on a page

function DeadList({ of: whole, reload }: { of: DeadItem[]; reload: () => void }) {
  const from = useSignal(0), start = Math.min(from.value, Math.max(0, whole.length - 1)), of = whole.slice(start, start + PAGE);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const rows = useRows();
  if (of.length === 0) return <p class="muted">{w.deadNone}</p>;
  const ids = of.filter((x) => !x.pinned).map((x) => x.id), mine = ids.filter((id) => chosen.value.has(id));
  const choose = (id: string, on: boolean): void => {
    const next = new Set(chosen.value);
    on ? next.add(id) : next.delete(id);
    chosen.value = next;
  };
  return (
    <div ref={rows} class="stack">
      <p class="line">
        <label class="check"><input type="checkbox" checked={mine.length === ids.length && ids.length > 0} onChange={(ev) => (chosen.value = new Set(ev.currentTarget.checked ? ids : []))} /> {w.chooseAll}</label>
        <button type="button" disabled={mine.length === 0} onClick={() => void mark("forget", mine, () => { chosen.value = new Set(); reload(); })}>{w.forget(mine.length)}</button>
      </p>
      <Table caption={w.deadList} of={of} id={(x) => x.id} columns={[
        { head: <span class="sr">{w.choose}</span>, cell: (x) => <input type="checkbox" aria-label={`${w.choose} ${x.id}`} disabled={x.pinned} checked={chosen.value.has(x.id)} onChange={(ev) => choose(x.id, ev.currentTarget.checked)} /> },
        { head: "ID", cell: (x) => <ID of={x.id} /> },
        { head: "memory", wide: true, cell: (x) => <span class="title-cell">{x.title}<span class="sub"><Kind of={x.kind} /> {x.pinned && <Tag>pinned</Tag>}</span></span> },
        { head: w.times, num: true, cell: (x) => count(x.injections) + "×" },
        { head: "tokens", num: true, cell: (x) => count(x.tokens) },
        { head: w.last, spare: true, num: true, cell: (x) => <Ago at={x.last} /> },
      ]} />
      {whole.length > PAGE && (
        <p class="line"><span class="muted">{w.page(start + 1, start + of.length, whole.length)}</span>
          <button type="button" disabled={start === 0} onClick={() => (from.value = start - PAGE)}>{w.before}</button>
          <button type="button" disabled={start + PAGE >= whole.length} onClick={() => (from.value = start + PAGE)}>{w.after}</button>
        </p>
      )}
    </div>
  );
}
