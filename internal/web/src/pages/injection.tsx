// One injection: its query, its candidates, what was injected and what was left out.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get } from "../lib/api";
import { mark } from "../lib/act";
import { command } from "../lib/command";
import { count, exact, ms, words } from "../lib/format";
import { useRows } from "../lib/keys";
import type { LeftOutItem, Receipt, InjectedItem } from "../lib/model";
import type { WhyResponse, Weights, WhatIf } from "../lib/model_upkeep";
import { allLeftOut, costOf, itemTokens, otherTokens } from "../lib/receipt";
import { useResource } from "../lib/resource";
import { gate, outcomes, r, trigger } from "../strings/recalls";
import { Command, Copy, Failure, Head, ID, Kind, Loaded, Section, Stored, Tag } from "../ui/parts";

type Item = InjectedItem & { gate?: string };

export default function Recall({ id }: { id: string }) {
  const why = useResource((a) => get<WhyResponse>("receipts/" + encodeURIComponent(id), {}, a), [id]);
  return (
    <>
      <Head title={<>{r.title.slice(0, -1)} <code>{id}</code></>} name={id} command={command("why", id)} json={"receipts/" + id} />
      <Loaded of={why}>{(e) => <Trace of={e} reload={why.reload} />}</Loaded>
    </>
  );
}

function Trace({ of: e, reload }: { of: WhyResponse; reload: () => void }) {
  const x = e.receipt, o = outcomes[x.outcome];
  const items: Item[] = x.items ?? [], cuts: Item[] = (x.dropped ?? []).map((c: LeftOutItem) => ({ ...c, rank: 0, tokens: 0 }));
  const rows = useRows();
  return (
    <div ref={rows}>
      <p class="line">
        <Tag tone={o?.tone ?? "plain"}>{o?.word ?? x.outcome}</Tag>
        <span>{trigger(x.trigger)}</span>
        <time dateTime={x.at} title={exact(x.at)}>{exact(x.at)}</time>
        {e.session_short && <span class="muted">{r.head.session} <ID of={e.session_short} /></span>}
        <span class="muted">{costOf(x)} · {ms(x.took_ms)}</span>
        {x.aside && <span class="muted">{r.aside}</span>}
      </p>
      {x.outcome === "abstained" && <Abstained of={x} cuts={cuts} />}
      {x.compaction && <p>{r.compaction(x.compaction)}</p>}
      <Section title={r.steps.title} id="steps"><Steps of={x} cuts={cuts} /></Section>
      {items.length === 0 && x.tokens > 0 && <Section title={r.items} id="injected"><p>{r.noMemory}</p></Section>}
      {items.length > 0 && (
        <Section title={r.items} id="injected">
          {otherTokens(x) > 0 && <p class="muted">{r.sum(x.tokens - otherTokens(x), otherTokens(x))}</p>}
          <ItemTable caption={r.items} of={items} all={[...items, ...cuts]} weights={e.weights} state={(i) => <Now e={e} id={i.id} reload={reload} />} />
        </Section>
      )}
      {cuts.length > 0 && (
        <Section title={r.dropped} id="dropped" aside={r.named(cuts.length, allLeftOut(x))}>
          <ItemTable caption={r.dropped} of={cuts} all={[...items, ...cuts]} weights={e.weights} state={(i) => <span>{gate(i.gate ?? "")}</span>} />
        </Section>
      )}
      {canBeLaidOut(x) && <Section title={r.whatif} id="whatif"><If of={x} /></Section>}
      {x.text && <Section title={r.text} id="text" aside={<Copy text={x.text}>copy</Copy>}><pre class="panel">{x.text}</pre></Section>}
      {items.length > 0 && budgetKey[x.trigger] && <p class="section muted">{r.less} <Command>{`remanence config set ${budgetKey[x.trigger]} ${Math.floor(x.budget / 2)}`}</Command></p>}
    </div>
  );
}

const briefings = ["session_start", "resume", "compact"];

/** Whether an injection can be laid out once more: a briefing, or one whose memories were chosen by their score. */
const canBeLaidOut = (x: Receipt): boolean => briefings.includes(x.trigger) || (x.trigger !== "nudge" && (x.items ?? []).every((i) => i.parts));

const budgetKey: Record<string, string> = {
  session_start: "hooks.session_start.token_budget", resume: "hooks.resume.token_budget", compact: "hooks.compact.token_budget",
  prompt: "hooks.user_prompt.token_budget", compaction: "hooks.user_prompt.token_budget", file: "hooks.pre_read.token_budget",
  command: "hooks.pre_bash.token_budget", subagent: "hooks.pre_task.token_budget",
};

function Abstained({ of: x, cuts }: { of: Receipt; cuts: Item[] }) {
  const best = Math.max(0, ...cuts.filter((c) => c.gate === "below_floor").map((c) => c.parts?.["relevance"] ?? c.parts?.["coverage"] ?? 0));
  return <p>{best > 0 ? r.abstained(best, x.floor) : r.abstainedAll}</p>;
}

/** What became of an item since, and what can be done about it. */
function Now({ e, id, reload }: { e: WhyResponse; id: string; reload: () => void }) {
  if (!id.startsWith("m_")) return null;
  const state = e.states?.[id];
  return (
    <span class="line">
      {e.used?.[id] && <Tag tone="ok">{r.used}</Tag>}
      {state ? <Tag tone="warn">{r.now(state)}</Tag> : null}
      {state === "forgotten" && <button type="button" class="quiet" onClick={() => void mark("restore", [id], reload)}>Restore</button>}
      {!state && <button type="button" class="quiet" aria-label={`Forget ${id}`} onClick={() => void mark("forget", [id], reload)}>Forget</button>}
    </span>
  );
}

/** From the question to the block, step by step. */
function Steps({ of: x, cuts }: { of: Receipt; cuts: Item[] }) {
  const t = r.steps, items = x.items ?? [], all: Item[] = [...items, ...cuts];
  const has = (i: Item, ...parts: string[]): boolean => parts.some((p) => (i.parts?.[p] ?? 0) > 0);
  const channels = { words: all.filter((i) => has(i, "bm25f", "fts")).length, meaning: all.filter((i) => has(i, "cos")).length, file: all.filter((i) => has(i, "path")).length };
  const by = (want: (g: string) => boolean): Map<string, number> => {
    const m = new Map<string, number>();
    for (const c of cuts) if (want(c.gate ?? "")) m.set(c.gate!, (m.get(c.gate!) ?? 0) + 1);
    return m;
  };
  const floor = by((g) => g === "below_floor"), budget = by((g) => g === "budget"), rules = by((g) => g !== "below_floor" && g !== "budget");
  const outs = (m: Map<string, number>) => m.size === 0 ? <span class="outs">{t.out(0)}</span> : [...m].map(([g, n]) => <div key={g}><span class="n">−{n}</span> <span class="outs">{gate(g)}</span></div>);
  const unnamed = allLeftOut(x) - cuts.length;
  const best = Math.max(0, ...all.map((i) => i.score));
  const terms = x.terms ?? [];
  return (
    <dl class="steps">
      <dt>{t.query}</dt>
      <dd>{x.asked && <div><Stored of={x.asked} /></div>}{terms.length > 0 ? <span class="terms" aria-label={t.terms(terms.length)}>{terms.map((w) => <code key={w}>{w}</code>)}</span> : !x.asked && <span class="outs">{briefings.includes(x.trigger) || x.trigger === "nudge" ? t.noQuery : t.erasedQuery}</span>}</dd>
      <dt>{t.candidates}</dt>
      <dd><span class="n">{count(x.candidates)}</span> {all.some((i) => i.parts) && <span class="outs">{t.named}: {Object.entries(channels).filter(([, n]) => n > 0).map(([c, n]) => `${n} ${t.channels[c]}`).join(", ")}</span>}</dd>
      {best > 0 && <><dt>{t.ranked}</dt><dd>{t.best(best.toFixed(2))}</dd></>}
      {x.floor > 0 && <><dt>{t.floor}</dt><dd><div>{t.floorAt(x.floor.toFixed(2))}</div>{outs(floor)}</dd></>}
      <dt>{t.gates}</dt><dd>{outs(rules)}{unnamed > 0 && cuts.length > 0 && <div class="outs">{t.besides(unnamed)}</div>}</dd>
      <dt>{t.budget}</dt><dd><div>{r.place2(itemTokens(x), x.budget)}</div>{outs(budget)}</dd>
      <dt>{t.injected}</dt><dd class="end"><span class="n">{items.length}</span></dd>
    </dl>
  );
}

function ItemTable({ caption, of, all, weights, state }: { caption: string; of: readonly Item[]; all: readonly Item[]; weights: Weights; state: (i: Item) => preact.ComponentChildren }) {
  const most = Math.max(1e-9, ...all.map((i) => i.score));
  return (
    <div class="hscroll">
      <table class="list">
        <caption class="sr">{caption}</caption>
        <thead><tr><th scope="col">ID</th><th scope="col" class="wide">memory</th><th scope="col" class="num">{r.score}</th><th scope="col" class="num spare">{r.head.tokens}</th><th scope="col">{of[0]?.gate ? r.rule : "since"}</th></tr></thead>
        <tbody>
          {of.map((i) => (
            <tr key={i.id} data-row>
              <td><ID of={i.id} /></td>
              <td class="wide">
                <span class="title-cell">{i.title || i.id}<span class="sub">{i.kind && <Kind of={i.kind} />}{i.kind && i.place && " · "}{i.place && words(i.place)} {i.stale && <Tag tone="warn">file {i.stale}</Tag>}</span></span>
                {i.parts && <Parts of={i} weights={"session" in i.parts ? weights.utterances : weights.memories} />}
              </td>
              <td class="num">{i.parts ? <ScoreBar of={i} most={most} weights={"session" in i.parts ? weights.utterances : weights.memories} /> : <span class="muted">–</span>}</td>
              <td class="num spare">{i.tokens ? count(i.tokens) : <span class="muted">–</span>}</td>
              <td>{state(i)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Parts that are known of the memory itself, not of its words. */
const own = new Set(["recency", "path", "strength", "scope", "branch", "trust", "stale"]);

function ScoreBar({ of: i, most, weights }: { of: Item; most: number; weights: Record<string, number> }) {
  const parts = i.parts ?? {};
  const sum = (want: (p: string) => boolean): number => Object.entries(parts).reduce((n, [p, v]) => n + (want(p) ? Math.max(0, v * (weights[p] ?? 0)) : 0), 0);
  const mine = sum((p) => own.has(p)), total = mine + sum((p) => !own.has(p));
  const whole = (100 * Math.max(0, i.score)) / most, ownWidth = total > 0 ? (whole * mine) / total : 0;
  return (
    <span class="score">
      <svg class="scorebar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="ground" width="100" height="8" /><rect class="words" width={whole - ownWidth} height="8" /><rect class="own" x={whole - ownWidth} width={ownWidth} height="8" />
      </svg>
      <span class="num">{i.score.toFixed(2)}</span>
    </span>
  );
}

function Parts({ of: i, weights }: { of: Item; weights: Record<string, number> }) {
  const parts = Object.entries(i.parts ?? {}).filter(([, v]) => v !== 0).sort(([a, x], [b, y]) => Math.abs(y * (weights[b] ?? 0)) - Math.abs(x * (weights[a] ?? 0)));
  return (
    <details class="under">
      <summary>{r.parts}</summary>
      <table class="parts">
        <thead><tr><th scope="col">{r.part.name}</th><th scope="col" class="num">{r.part.value}</th><th scope="col" class="num">{r.part.weight}</th><th scope="col" class="num">{r.part.sum}</th></tr></thead>
        <tbody>{parts.map(([p, v]) => (
          <tr key={p}><td>{r.partNames[p] ?? words(p)}</td><td class="num">{v.toFixed(2)}</td><td class="num">{p in weights ? weights[p] : "–"}</td><td class="num">{p in weights ? (v * weights[p]!).toFixed(2) : ""}</td></tr>
        ))}</tbody>
      </table>
    </details>
  );
}

/** The same with another budget or floor. */
function If({ of: x }: { of: Receipt }) {
  const budget = useSignal(x.budget), floor = useSignal(x.floor);
  const answer = useSignal<WhatIf | undefined>(undefined), error = useSignal<unknown>(undefined);
  const touched = budget.value !== x.budget || floor.value !== x.floor;
  useEffect(() => {
    const end = new AbortController();
    const t = setTimeout(() => {
      get<WhatIf>("what_if", { id: x.id, budget: budget.value, ...(x.floor > 0 ? { floor: floor.value } : {}) }, end.signal).then(
        (a) => { answer.value = a; error.value = undefined; },
        (e: unknown) => { if (!end.signal.aborted) error.value = e; },
      );
    }, 200);
    return () => { clearTimeout(t); end.abort(); };
  }, [budget.value, floor.value]);
  const a = answer.value, briefing = briefings.includes(x.trigger);
  const same = !!a && a.added.length + a.removed.length === 0 && !briefing, as = same && !touched ? x : a?.receipt;
  const most = Math.max(600, x.budget * 2);
  return (
    <>
      <p class="muted">{briefing ? r.whatifNow : r.whatifNote}</p>
      <div class="dials">
        <label for="if-budget">{r.budgetOf}</label>
        <input id="if-budget" type="range" min="0" max={most} step="10" value={budget.value} onInput={(e) => (budget.value = Number(e.currentTarget.value))} />
        <output for="if-budget">{count(budget.value)}</output>
        {x.floor > 0 && <>
          <label for="if-floor">{r.floorOf}</label>
          <input id="if-floor" type="range" min="0" max="1" step="0.01" value={floor.value} onInput={(e) => (floor.value = Number(e.currentTarget.value))} />
          <output for="if-floor">{floor.value.toFixed(2)}</output>
        </>}
      </div>
      {error.value ? <Failure error={error.value} /> : null}
      {a && (
        <div class="stack" aria-live="polite" data-testid="whatif">
          <p>{same ? r.same + " " : ""}{r.would(as?.items?.length ?? 0, as?.tokens ?? 0)} {touched && <button type="button" class="quiet" onClick={() => { budget.value = x.budget; floor.value = x.floor; }}>{r.reset}</button>}</p>
          {a.added.length > 0 && <p><span class="ok">+ {r.added}:</span> {a.added.map((id) => <Named key={id} id={id} of={a.receipt} was={x} />)}</p>}
          {a.removed.length > 0 && <p><span class="bad">− {r.lost}:</span> {a.removed.map((id) => <Named key={id} id={id} of={a.receipt} was={x} />)}</p>}
          {a.receipt.text && <details class="under"><summary>{r.text}</summary><pre class="panel">{a.receipt.text}</pre></details>}
        </div>
      )}
    </>
  );
}

function Named({ id, of, was }: { id: string; of: Receipt; was: Receipt }) {
  const title = [...(of.items ?? []), ...(was.items ?? []), ...(was.dropped ?? [])].find((i) => i.id === id)?.title;
  return <span class="title-cell"><ID of={id} /> {title}</span>;
}
