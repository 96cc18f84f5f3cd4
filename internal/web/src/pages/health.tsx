// Whether everything works, and what to do where it does not.
import { useSignal } from "@preact/signals";
import { get } from "../lib/api";
import { reason } from "../lib/act";
import { needing, unset } from "../lib/checks";
import { bytes, count, exact, ms, span } from "../lib/format";
import { useRows } from "../lib/keys";
import type { Check, Checkup, Log, Sizes } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { h } from "../strings/upkeep";
import { Ago, Command, Failure, Figures, Head, Loaded, Section, Table, Tag } from "../ui/parts";
import { Sparkline } from "../ui/charts";

export default function Health() {
  const deep = useSignal(false); // only on request: all of the store is read
  const again = useSignal(false); // a result of a moment ago does not do
  const params = { deep: deep.value };
  const up = useResource((a) => get<Checkup>("health", { ...params, again: again.value }, a), [deep.value]);
  const check = (all: boolean): void => { again.value = true; if (deep.value === all) up.reload(); else deep.value = all; };
  const log = useResource((a) => get<Log>("log", { limit: 1 }, a), []);
  return (
    <>
      <Head title={h.title} command="remanence doctor" json="health" params={params} />
      {up.loading && !up.data && <p class="muted loading" aria-live="polite">{h.checking}</p>}
      {up.error ? <Failure error={up.error} retry={up.reload} /> : null}
      {up.data && <Full of={up.data} check={check} busy={up.loading} />}
      <Section title={h.errors} id="errors" aside={<a href="/log?level=warn">{h.log}</a>}>
        <Loaded of={log}>{(l) => l.groups.length === 0 ? <p class="muted">{h.errorsNone}</p> : (
          <Table caption={h.errors} of={l.groups} id={(g) => g.level + g.text} columns={[
            { head: "level", cell: (g) => <Tag tone={g.level === "error" ? "bad" : "warn"}>{g.level}</Tag> },
            { head: "text", wide: true, cell: (g) => <span class="title-cell">{g.text}<span class="sub mono">{g.more}</span></span> },
            { head: "times", num: true, cell: (g) => count(g.count) },
            { head: "last", num: true, cell: (g) => <Ago at={g.last ?? undefined} /> },
          ]} />
        )}</Loaded>
      </Section>
      <Room />
    </>
  );
}

function Full({ of: c, check, busy }: { of: Checkup; check: (all: boolean) => void; busy: boolean }) {
  const x = c.overview.health, s = c.overview.stats;
  const rows = useRows();
  const isHost = (k: Check): boolean => k.id.startsWith("claude") || k.id.includes("agent");
  const first = needing(c.checks), others = c.checks.filter((k) => !first.includes(k));
  const hosts = others.filter(isHost), rest = others.filter((k) => !isHost(k));
  return (
    <div ref={rows}>
      <Figures of={[
        { term: h.figures.daemon, value: span(Date.now() - Date.parse(c.since)), note: exact(c.since) },
        { term: h.figures.version, value: c.version, note: c.build },
        { term: h.figures.queue, value: x.dead_jobs ? h.dead(x.dead_jobs) : h.waits(x.queue_depth), tone: x.dead_jobs ? "warn" : undefined },
        { term: h.figures.hooks, value: count(x.hooks) },
        { term: h.figures.p50, value: x.hooks ? ms(x.hook_p50_ms) : "–" },
        { term: h.figures.p95, value: x.hooks ? ms(x.hook_p95_ms) : "–" },
        { term: h.figures.errors, value: count(x.hook_errors), tone: x.hook_errors ? "bad" : undefined },
        ...(x.hook_timeouts ? [{ term: h.figures.timeouts, value: count(x.hook_timeouts) }] : []),
        { term: h.figures.db, value: bytes(s.bytes) },
        { term: h.figures.memories, value: count(s.memories) },
      ]} />
      <Section title={h.checks} id="checks" aside={<><span class={c.ok ? "" : "bad"}>{h.verdict(c.summary.ok, c.summary.fail, c.summary.warn, c.checks.filter(unset).length)}</span><button type="button" class="quiet" disabled={busy} onClick={() => check(false)}>{busy ? h.checking : h.again}</button><button type="button" class="quiet" disabled={busy} onClick={() => check(true)}>{h.deep}</button></>}>
        <Checks title={h.needing} of={first} />
        <Checks title={h.required} of={rest.filter((k) => k.required)} />
        <Checks title={h.optional} of={rest.filter((k) => !k.required)} />
      </Section>
      {hosts.length > 0 && <Section title={h.hosts} id="hosts"><Checks title={h.hostsCaption} of={hosts} /></Section>}
      <Section title={h.latency} id="latency" aside={c.latencies_ms.length > 0 && h.latencyOf(c.latencies_ms.length, ms(Math.max(...c.latencies_ms)))}><Latency of={c.latencies_ms} /></Section>
    </div>
  );
}

function Latency({ of }: { of: number[] }) {
  if (of.length === 0) return <p class="muted">{h.latencyNone}</p>;
  const steps = [2, 5, 10, 25, 50, 100, 250, 1000, Infinity];
  const table = steps.map((to, i) => ({ to, n: of.filter((v) => v < to && v >= (steps[i - 1] ?? 0)).length })).filter((b) => b.n > 0);
  return (
    <>
      <Sparkline caption={`${h.latency}: ${h.latencyOf(of.length, ms(Math.max(...of)))}`} values={of} />
      <details class="twin"><summary>{h.latencyTable}</summary>
        <Table caption={h.latencyTable} of={table} id={(b) => String(b.to)} columns={[
          { head: h.bucket, cell: (b) => b.to === Infinity ? `over ${ms(1000)}` : `under ${ms(b.to)}` },
          { head: h.share, num: true, cell: (b) => count(b.n) },
        ]} />
      </details>
    </>
  );
}

const tones = { ok: "ok", warn: "warn", fail: "bad", info: "plain" } as const;
const rank = { fail: 0, warn: 1, info: 2, ok: 3 };

function Checks({ title, of }: { title: string; of: Check[] }) {
  if (of.length === 0) return null;
  return (
    <div class="checks"><Table shown caption={title} of={[...of].sort((a, b) => rank[a.state] - rank[b.state])} id={(k) => k.id + k.what} columns={[
      { head: "state", cell: (k) => <Tag tone={tones[k.state]}>{h.state[unset(k) ? "todo" : k.state]}</Tag> },
      { head: "check", cell: (k) => k.id },
      { head: "what", wide: true, cell: (k) => (
        <span class="title-cell">{k.what} {k.code && <code class="muted">{k.code}</code>}
          {k.why && <span class="sub">{h.why}: {k.why}</span>}
          {k.state !== "ok" && k.fix.map((f) => <span key={f} class="sub">{h.fix}: {f.startsWith("remanence") ? <Command>{f}</Command> : f}</span>)}
          {k.safe_fix && k.state !== "ok" && <span class="sub">{h.safe}</span>}
        </span>
      ) },
    ]} /></div>
  );
}

/** Disk usage; loaded only on demand, because it reads the whole store. */
function Room() {
  const sizes = useSignal<Sizes | undefined>(undefined), state = useSignal("");
  const measure = (): void => {
    state.value = h.measuring;
    get<Sizes>("sizes").then((s) => { sizes.value = s; state.value = ""; }, (e: unknown) => (state.value = reason(e)));
  };
  return (
    <Section title={h.sizes} id="sizes" aside={sizes.value && `${bytes(sizes.value.bytes)} ${h.total}`}>
      {sizes.value
        ? <Table caption={h.sizes} of={sizes.value.parts.filter((p) => p.bytes > 0).sort((a, b) => b.bytes - a.bytes)} id={(p) => p.name} columns={[
            { head: "part", wide: true, cell: (p) => p.name },
            { head: "records", num: true, cell: (p) => p.count ? count(p.count) : "–" },
            { head: "size", num: true, cell: (p) => bytes(p.bytes) },
          ]} />
        : <p aria-live="polite"><button type="button" onClick={measure} disabled={state.value === h.measuring}>{h.measure}</button> <span class="muted">{state.value}</span></p>}
    </Section>
  );
}
