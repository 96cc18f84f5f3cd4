// The forms that change memories.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, getAsIs, post, project } from "../lib/api";
import { act, mark } from "../lib/act";
import { words } from "../lib/format";
import type { Memory, MemoryStory, Projects, Purged, Scope } from "../lib/model";
import { useResource } from "../lib/resource";
import { go } from "../lib/router";
import { s } from "../strings";
import { p } from "../strings/pages";
import { Cancel } from "../ui/dialog";
import { Failure, Loaded } from "../ui/parts";

const t = p.memory;
const KINDS = ["fact", "decision", "gotcha", "howto", "todo", "preference", "convention", "error_fix", "change", "discovery", "rationale", "trade_off", "file_note", "command", "request", "summary"];

/** Text, kind and reach of a memory, as they were when the form came: what is changed elsewhere meanwhile is no change of this person's. */
export function EditForm({ id, done }: { id: string; done: () => void }) {
  const story = useResource((a) => getAsIs<MemoryStory>("memories/" + encodeURIComponent(id), a), [id]);
  return <Loaded of={story}>{(d) => <Fields of={d.memory} done={done} />}</Loaded>;
}

/** Only what was changed is sent. */
function Fields({ of: m, done }: { of: Memory; done: () => void }) {
  const before = m.body && m.body !== m.title ? m.body : m.title;
  const text = useSignal(before), kind = useSignal(m.kind), scope = useSignal<Scope>(m.scope), reason = useSignal("");
  const save = async (e: Event): Promise<void> => {
    e.preventDefault();
    const change = (x: { text: string; kind: string; scope: Scope }, y: typeof x, why: string) => ({
      id: m.id, reason: why, ...(x.text !== y.text && { text: x.text }), ...(x.kind !== y.kind && { kind: x.kind }), ...(x.scope !== y.scope && { scope: x.scope }),
    });
    const now = { text: text.value, kind: kind.value, scope: scope.value }, old = { text: before, kind: m.kind, scope: m.scope };
    const ok = await act(t.edited(m.id), () => post("edit", change(now, old, reason.value)), () => post("edit", change(old, now, "")).then(done));
    if (ok) done();
  };
  return (
    <form class="form" onSubmit={(e) => void save(e)}>
      <label>{t.edit.text}<textarea rows={Math.min(18, Math.max(4, before.split("\n").length + 2))} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} required /></label>
      <div class="line">
        <label>{t.edit.kind} <select value={kind.value} onChange={(e) => (kind.value = e.currentTarget.value)}>
          {[...new Set([m.kind, ...KINDS])].map((k) => <option key={k} value={k}>{words(k)}</option>)}
        </select></label>
        <label>{t.edit.scope} <select value={scope.value} onChange={(e) => (scope.value = e.currentTarget.value as Scope)}>
          {Object.entries(t.scopes).map(([k, label]) => <option key={k} value={k}>{label}</option>)}
        </select></label>
      </div>
      <label>{t.edit.reason}<input type="text" value={reason.value} maxLength={400} onInput={(e) => (reason.value = e.currentTarget.value)} /></label>
      <p class="muted">{t.edit.by}</p>
      <button type="submit">{s.save}</button>
    </form>
  );
}

/** Adds a memory in the person's words. */
export function AddForm({ close }: { close: () => void }) {
  const all = useResource((a) => get<Projects>("projects", {}, a), []);
  const text = useSignal(""), kind = useSignal("fact"), scope = useSignal(""), a = t.add;
  const save = async (e: Event): Promise<void> => {
    e.preventDefault();
    const where = scope.value || project.value, body = where === "user" ? { scope: "user" } : { scope: "project", project: where };
    let id = "";
    const ok = await act(a.done, async () => { id = (await post<Memory>("add", { text: text.value, kind: kind.value, ...body })).id; });
    if (!ok) return;
    close();
    go("/m/" + id);
  };
  return (
    <form class="form" onSubmit={(e) => void save(e)}>
      <label>{a.text}<textarea rows={4} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} required /></label>
      <div class="line">
        <label>{t.edit.kind} <select value={kind.value} onChange={(e) => (kind.value = e.currentTarget.value)}>{KINDS.slice(0, 8).map((k) => <option key={k} value={k}>{words(k)}</option>)}</select></label>
        <label>{a.project} <select value={scope.value || project.value} required onChange={(e) => (scope.value = e.currentTarget.value)}>
          <option value="">{a.choose}</option>
          {(all.data?.projects ?? []).map((p) => <option key={p.key} value={p.key}>{p.name || p.key}</option>)}
          <option value="user">{t.scopes["user"]}</option>
        </select></label>
      </div>
      <p class="muted">{a.note}</p>
      <button type="submit">{a.button}</button>
    </form>
  );
}

type Bulk = "forget" | "restore" | "purge";

/** Lists memories with a tick each, and does with the ticked ones what verb says; to erase them a word is typed. */
export function BulkForm({ verb, of, close, then }: { verb: Bulk; of: readonly Memory[]; close: () => void; then: () => void }) {
  const chosen = useSignal<ReadonlySet<string>>(new Set(of.map((m) => m.id))), typed = useSignal("");
  const ids = of.filter((m) => chosen.value.has(m.id)).map((m) => m.id), all = ids.length === of.length, u = t.bulk;
  const tick = (id: string, on: boolean): void => {
    const next = new Set(chosen.value);
    on ? next.add(id) : next.delete(id);
    chosen.value = next;
  };
  const order = async (e: Event): Promise<void> => {
    e.preventDefault();
    const done = (): void => { close(); then(); };
    if (verb === "purge") {
      if (await act(erased, () => post<Purged>("purge", { ids }))) done();
    } else if (await mark(verb, ids, then)) close();
  };
  return (
    <form class="form" onSubmit={(e) => void order(e)}>
      <p>{verb === "purge" ? t.purge.text : u.note[verb]}</p>
      <fieldset class="chosen">
        <legend class="sr">{u.list}</legend>
        <label class="check"><input type="checkbox" checked={all} onChange={(e) => (chosen.value = new Set(e.currentTarget.checked ? of.map((m) => m.id) : []))} /> {u.chosen(ids.length, of.length)}</label>
        <ul tabIndex={0} aria-label={u.list}>{of.map((m) => (
          <li key={m.id}><label class="check"><input type="checkbox" checked={chosen.value.has(m.id)} onChange={(e) => tick(m.id, e.currentTarget.checked)} /> <span dir="auto">{m.title}</span></label></li>
        ))}</ul>
      </fieldset>
      {verb === "purge" && <Extent key={ids.join()} ask={{ ids }} />}
      {verb === "purge" && <Word typed={typed} />}
      <div class="line"><button type="submit" disabled={ids.length === 0 || (verb === "purge" && typed.value.trim() !== t.purge.word)}>{u.do[verb](ids.length)}</button><Cancel close={close} /></div>
    </form>
  );
}

const erased = (d: Purged): string => t.purge.done(d.purged.memories);

const Word = ({ typed }: { typed: Signal<string> }) => (
  <label>{t.purge.type(t.purge.word)}<input type="text" autocomplete="off" value={typed.value} onInput={(e) => (typed.value = e.currentTarget.value)} /></label>
);

/** Says that all that is stored is looked through, and for how long already. */
function Looking() {
  const s = useSignal(0);
  useEffect(() => {
    const tick = setInterval(() => s.value++, 1_000);
    return () => clearInterval(tick);
  }, []);
  return (
    <div class="muted loading" data-testid="looking">
      <p aria-live="polite">{t.purge.extent.looking}</p>
      <progress aria-label={t.purge.extent.looking} /> <span aria-hidden="true">{t.purge.extent.since(s.value)}</span>
    </div>
  );
}

/** What an erasure erases, and what it does not reach. */
function Extent({ ask, found }: { ask: { ids: string[] } | { text: string }; found?: (any: boolean) => void }) {
  const e = t.purge.extent;
  const would = useResource(async () => {
    if ("ids" in ask && ask.ids.length === 0) return undefined;
    const d = await post<Purged>("purge_preview", ask);
    found?.(!!(d.memories?.length || d.mentions?.length));
    return d;
  }, []);
  if (would.loading) return <Looking />;
  if (would.error) return <Failure error={would.error} retry={would.reload} />;
  const d = would.data, byWords = "text" in ask;
  if (!d) return null;
  if (byWords && !d.memories?.length && !d.mentions?.length) return <p aria-live="polite">{e.none(ask.text)}</p>;
  const places = (d.mentions ?? []).map((c) => (e.places[c.value] ?? ((n: number) => `${c.value}: ${n}`))(c.n));
  const list = d.memories ?? [], along = d.with ?? [], n = d.purged;
  const held = (d.mentions ?? []).filter((c) => c.value === "memories" || c.value === "conversation").reduce((sum, c) => sum + c.n, 0);
  return (
    <div aria-live="polite" data-testid="extent">
      {byWords && <p>{e.holds(ask.text)} <strong>{places.join(", ")}</strong>.</p>}
      {byWords && list.length > 0 && (
        <ul class="chosen" tabIndex={0} aria-label={t.bulk.list}>
          {list.map((m) => <li key={m.id} dir="auto">{m.title}</li>)}
          {held > list.length && <li class="muted">{e.more(held - list.length)}</li>}
          {along.map((m) => <li key={m.id} dir="auto">{m.title} <span class="muted">({e.along})</span></li>)}
        </ul>
      )}
      <ul class="muted plain">
        {n.memories > 0 && <li>{e.goes(n.memories, "ids" in ask ? ask.ids.length : held)}</li>}
        {n.events + n.turns > 0 && <li>{e.emptied(n.events, n.turns)}</li>}
        {n.receipts + n.checkpoints > 0 && <li>{e.cleaned(n.receipts, n.checkpoints)}</li>}
        {byWords && <li>{e.lines}</li>}
      </ul>
      <details><summary>{e.unreached}</summary><ul class="items">{d.unreached.map((x) => <li key={x}>{x}</li>)}</ul></details>
    </div>
  );
}

/** Asks for the words of what is to be erased. */
export function WordsForm({ then }: { then: (text: string) => void }) {
  const text = useSignal(""), words = text.value.trim();
  return (
    <form class="form" onSubmit={(e) => { e.preventDefault(); then(words); }}>
      <p>{t.purge.words}</p>
      <label>{t.purge.ask}<input type="text" autocomplete="off" required value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} /></label>
      <div class="line"><button type="submit" disabled={!words}>{t.purge.look}</button></div>
    </form>
  );
}

/** Erases all that holds some words, once it was shown what that is and the word was typed. */
export function EraseWords({ text, close, then }: { text: string; close: () => void; then: () => void }) {
  const typed = useSignal(""), any = useSignal(false);
  const erase = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (await act((d: Purged) => t.purge.doneWords(text, d.purged), () => post<Purged>("purge", { text }))) then();
  };
  return (
    <form class="form" onSubmit={(e) => void erase(e)}>
      <p>{t.purge.words} {t.purge.whole(text)}</p>
      <Extent ask={{ text }} found={(x) => (any.value = x)} />
      {any.value && <Word typed={typed} />}
      <div class="line">{any.value && <button type="submit" disabled={typed.value.trim() !== t.purge.word}>{t.actions.purge}</button>}<Cancel close={close} /></div>
    </form>
  );
}

/** Erases for good once the id was typed. */
export function PurgeForm({ of: m, close }: { of: Memory; close: () => void }) {
  const typed = useSignal("");
  const erase = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (await act(erased, () => post<Purged>("purge", { ids: [m.id] }))) go("/memories", true);
  };
  return (
    <form class="form" onSubmit={(e) => void erase(e)}>
      <p>{t.purge.text}</p>
      <Extent ask={{ ids: [m.id] }} />
      <label>{t.purge.type(m.id)}<input type="text" autocomplete="off" value={typed.value} onInput={(e) => (typed.value = e.currentTarget.value)} /></label>
      <div class="line"><button type="submit" disabled={typed.value.trim() !== m.id}>{t.actions.purge}</button><Cancel close={close} /></div>
    </form>
  );
}
