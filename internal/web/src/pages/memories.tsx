import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { get, getRows, project } from "../lib/api";
import { searchCommand } from "../lib/command";
import { ms, words } from "../lib/format";
import { enterField, useRows } from "../lib/keys";
import type { Count, Projects, SearchResponse, Hit, Status, StatusResponse } from "../lib/model";
import { useResource, type Resource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { ask, parse, withFilter, write } from "../lib/syntax";
import { p } from "../strings/pages";
import { Ago, Bar, Command, Empty, Facet, Head, ID, Kind, Loaded } from "../ui/parts";
import { Dialog } from "../ui/dialog";
import { Marked, States } from "../ui/memory";
import { AddForm, BulkForm, EraseWords, WordsForm } from "./memory_forms";

const t = p.search;
const PAGE = 25, MOST = 200;

export default function Memories() {
  const q = query.value.get("q") ?? "", by = query.value.get("by") ?? "", shown = Number(query.value.get("shown")) || PAGE;
  const typed = parse(q);
  const own = typed.filters.find((f) => f.key === "project")?.value;
  const only = (key: string): boolean => typed.filters.some((f) => f.key === "is" && f.value === key);
  const sifted = only("stale") || only("pinned"); // here, among as many as are to be had
  const params = {
    ...ask(typed), project: own ?? (project.value || "all"), facets: true, limit: sifted ? MOST : Math.min(shown, MOST), order: only("pinned") ? "importance" : "",
  };
  const found = useResource((a) => getRows<SearchResponse>("search", "results", params, a), [q, shown], (e) => e.type === "changed");
  const held = useResource(async (a) => (q ? undefined : get<StatusResponse>("status", { project: project.value || "all" }, a)), [q], (e) => e.type === "changed");
  return (
    <>
      <Head title={t.title} command={searchCommand(typed)} json="search" params={params}>
        <button type="button" onClick={() => setQuery({ add: "1" })}>{p.memory.add.title}</button>
        <button type="button" class="quiet" onClick={() => setQuery({ erase: "1" })}>{typed.text ? p.memory.bulk.words(typed.text) + " …" : t.erase}</button>
      </Head>
      {query.value.get("add") && <Dialog title={p.memory.add.title} close={() => setQuery({ add: "" })}><AddForm close={() => setQuery({ add: "" })} /></Dialog>}
      {query.value.get("erase") && <Erasing text={typed.text} />}
      <Box q={q} />
      {typed.unknown.map((w) => <p key={w} class="warn">{t.unknown(w)}</p>)}
      <Loaded of={found}>
        {(d) => {
          const hits = d.results.filter((h) => (!only("stale") || d.stale?.[h.id]) && (!only("pinned") || h.pinned));
          if (params.order && !typed.text) hits.sort((a, b) => Date.parse(b.created) - Date.parse(a.created));
          return (
            <>
              {d.warning && <p class="warn">{d.warning}</p>}
              {only("stale") && !d.project.key && <p class="warn">{t.staleWhere}</p>}
              {sifted && d.results.length >= MOST && <p class="warn">{t.sifted(MOST)}</p>}
              {!q && <Examples of={d.results} />}
              <Facets of={d} q={q} by={by} />
              {q && <Bulk hits={hits} reload={found.reload} />}
              {hits.length === 0 ? <NoHits q={q} found={found} /> : <Hits of={d} hits={hits} by={by} ranked={!!typed.text} shown={sifted ? MOST : shown} all={q ? undefined : held.data?.stats.memories} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Box({ q }: { q: string }) {
  const text = useSignal(q);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => { text.value = q; }, [q]); // at once: what is typed next stays
  useLayoutEffect(() => { if (!q) enterField(input.current); }, []);
  return (
    <search>
      <form class="box" onSubmit={(e) => { e.preventDefault(); setQuery({ q: text.value.trim(), shown: "" }, false); }}>
        <label class="sr" for="q">{t.label}</label>
        <input id="q" ref={input} type="search" value={text.value} placeholder={t.placeholder} autocomplete="off" spellcheck={false}
          onInput={(e) => (text.value = e.currentTarget.value)} onKeyDown={(e) => { if (e.key === "Escape") e.currentTarget.blur(); }} />
        <button type="submit">{t.go}</button>
      </form>
      <details class="syntax">
        <summary>{t.syntax}</summary>
        <dl class="kv">{t.syntaxRows.map(([code, what]) => [<dt key={code}><code>{code}</code></dt>, <dd key={code + "d"}>{what}</dd>])}</dl>
      </details>
    </search>
  );
}

const FILTER: Record<string, string> = { kind: "kind", project: "project", agent: "agent", branch: "branch", dir: "file" };

function Facets({ of: d, q, by }: { of: SearchResponse; q: string; by: string }) {
  const typed = parse(q);
  const projects = useResource((a) => get<Projects>("projects", {}, a), []);
  const names = new Map([d.project, ...(projects.data?.projects ?? [])].map((x) => [x.key, x.name]));
  return (
    <div class="facets" data-testid="facets">
      {Object.entries(FILTER).map(([facet, key]) => {
        const given = typed.filters.filter((f) => f.key === key), chosen = given.length === 1 ? given[0]!.value : ""; // with several, none is chosen
        const values = (d.facets?.[facet] ?? []).filter((c: Count) => facet !== "dir" || (c.value !== "." && c.value !== "/"));
        if (values.length < 2 && !chosen) return null;
        const as = (v: string): string => (facet === "dir" ? v + "/" : v);
        return (
          <Facet key={facet} title={t.facets[facet]!} chosen={chosen} choose={(v) => setQuery({ q: withFilter(q, key, v), shown: "" })}
            values={values.map((c) => ({ value: as(c.value), n: c.n, label: names.get(c.value) ?? (facet === "kind" ? words(c.value) : as(c.value)) }))} />
        );
      })}
      {d.results.length > 1 && (
        <label class="group">{t.group}{" "}
          <select value={by} onChange={(e) => setQuery({ by: e.currentTarget.value })}>
            <option value="">{t.none}</option><option value="kind">{t.facets["kind"]}</option><option value="session">{p.memory.fields.session}</option>
          </select>
        </label>
      )}
    </div>
  );
}

type Deed = "forget" | "restore" | "purge";

/** Erases all that mentions some words, and asks for them if there are none. Afterwards no search for them is left. */
function Erasing({ text }: { text: string }) {
  const close = (): void => setQuery({ erase: "" }), title = p.memory.bulk.words(text);
  return text
    ? <Dialog key={text} title={title} close={close} destroys><EraseWords text={text} close={close} then={() => setQuery({ q: "", erase: "" })} /></Dialog>
    : <Dialog key="" title={title} close={close}><WordsForm then={(q) => setQuery({ q })} /></Dialog>;
}

/** Forgets, restores or erases of what is shown. Each deed shows first what it is done to. */
function Bulk({ hits, reload }: { hits: Hit[]; reload: () => void }) {
  const deed = useSignal<{ verb: Deed; of: Hit[] } | null>(null);
  const close = (): void => void (deed.value = null);
  const of = (status: Status): Hit[] => hits.filter((h) => h.status === status);
  const active = of("active"), forgotten = of("forgotten"), u = p.memory.bulk;
  const ask = (verb: Deed, list: Hit[]) => list.length > 0 && <button type="button" class={verb === "purge" ? "quiet" : ""} onClick={() => (deed.value = { verb, of: list })}>{u.ask[verb](list.length)}</button>;
  return (
    <p class="line bulk">
      {ask("forget", active)}{ask("restore", forgotten)}{ask("purge", hits)}
      {deed.value && <Dialog title={u.title[deed.value.verb]} close={close} destroys={deed.value.verb === "purge"}><BulkForm verb={deed.value.verb} of={deed.value.of} close={close} then={reload} /></Dialog>}
    </p>
  );
}

function Hits({ of: d, hits, by, ranked, shown, all }: { of: SearchResponse; hits: Hit[]; by: string; ranked: boolean; shown: number; all: number | undefined }) {
  const rows = useRows();
  const best = Math.max(...hits.map((h) => h.score), 1e-9);
  const groups = new Map<string, Hit[]>();
  for (const h of hits) {
    const key = by === "kind" ? words(h.kind) : by === "session" ? (h.session ?? "") : "";
    groups.set(key, [...(groups.get(key) ?? []), h]);
  }
  return (
    <div ref={rows}>
      <p class="muted" role="status">{ranked ? t.took(hits.length, d.counted ?? hits.length, ms(d.took_ms)) : t.listed(hits.length, d.counted ?? hits.length, (d.counted ?? 0) >= MOST, all)}</p>
      {[...groups].map(([name, list]) => (
        <section key={name} aria-label={name || undefined}>
          {by && <h2 class="group-head">{name || t.none} <span class="muted">{list.length}</span></h2>}
          <ol class="hits">{list.map((h) => <HitRow key={h.id} of={h} d={d} best={ranked ? best : 0} />)}</ol>
        </section>
      ))}
      {(d.counted ?? 0) > shown && shown < MOST && <button type="button" onClick={() => setQuery({ shown: String(shown + PAGE) })}>{t.more}</button>}
    </div>
  );
}

function HitRow({ of: h, d, best }: { of: Hit; d: SearchResponse; best: number }) {
  const m = h, marks = d.marks?.[m.id];
  const body = marks?.excerpt ?? (m.body && m.body !== m.title ? m.body.slice(0, 200) : "");
  return (
    <li data-row>
      <a class="plain title" dir="auto" href={"/m/" + m.id}><Marked text={m.title} spans={marks?.title} /></a>
      {body && <p class="excerpt" dir="auto"><Marked text={body} spans={marks?.excerpt === undefined ? undefined : marks.in} /></p>}
      <div class="line muted meta">
        {best > 0 && <span title={t.score(h.score.toFixed(2))}><Bar share={h.score / best} label={t.score(h.score.toFixed(2))} /></span>}
        <Kind of={m.kind} /><Ago at={m.created} />
        {m.files?.[0] && <span class="mono">{m.files[0]}{m.files.length > 1 ? ` +${m.files.length - 1}` : ""}</span>}
        <States of={m} stale={d.stale?.[m.id]} />
        <span class="end"><ID of={m.id} /></span>
      </div>
    </li>
  );
}

/** Searches that find something here: the first words of memories, one each. A character is not cut in two: no address could hold a half. */
function queries(hits: Hit[]): string[] {
  const all = hits.map((h) => [...new Set(h.title.match(/(?<!\p{L})\p{L}{4,30}(?!\p{L})/gu))].slice(0, 3).join(" ") || [...h.title].slice(0, 30).join(""));
  return [...new Set(all)].slice(0, 5);
}

const Query = ({ of }: { of: string }) => <a href={"/memories?q=" + encodeURIComponent(of)}>{of}</a>;

function Examples({ of }: { of: Hit[] }) {
  const list = queries(of);
  return list.length === 0 ? null : <p class="line" data-testid="examples"><span class="muted">{t.examples}</span>{list.map((e) => <Query key={e} of={e} />)}</p>;
}

function NoHits({ q, found }: { q: string; found: Resource<SearchResponse> }) {
  const typed = parse(q);
  const examples = useResource((a) => get<SearchResponse>("search", { project: project.value || "all", limit: 5, facets: true }, a), []);
  return (
    <Empty title={q ? t.noHits : p.now.emptyTitle}>
      {!q && <p><Command>{'remanence add "tests use the fake clock"'}</Command></p>}
      {typed.filters.map((f) => (
        <p key={f.key + f.value}><a href={"/memories?q=" + encodeURIComponent(write({ text: typed.text, filters: typed.filters.filter((x) => x !== f) }))}>{t.drop(f.key + ":" + f.value)}</a></p>
      ))}
      {q && !typed.filters.some((f) => f.key === "is") && (
        <p><a href={"/memories?q=" + encodeURIComponent(write({ text: typed.text, filters: [...typed.filters, { key: "is", value: "forgotten" }] }))}>{t.forgotten}</a></p>
      )}
      {(examples.data?.results.length ?? 0) > 0 && !found.loading && (
        <>
          <p class="muted">{t.tryThese}</p>
          <ul>{queries(examples.data!.results).map((e) => <li key={e}><Query of={e} /></li>)}</ul>
        </>
      )}
    </Empty>
  );
}
