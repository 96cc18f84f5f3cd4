// The two forms of a memory's page.
import { useSignal } from "@preact/signals";
import { get, getAsIs, post, project } from "../lib/api";
import { act } from "../lib/act";
import { words } from "../lib/format";
import type { Memory, MemoryStory, Projects, Scope } from "../lib/model";
import { useResource } from "../lib/resource";
import { go } from "../lib/router";
import { s } from "../strings";
import { p } from "../strings/pages";
import { Cancel } from "../ui/dialog";
import { Loaded } from "../ui/parts";

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

/** Erases several memories for good once the word was typed. */
export function EraseAll({ ids, close, then }: { ids: string[]; close: () => void; then: () => void }) {
  const typed = useSignal(""), what = t.purge.many(ids.length);
  const erase = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (await act(t.purge.done(what), () => post("purge", { ids }))) { close(); then(); }
  };
  return (
    <form class="form" onSubmit={(e) => void erase(e)}>
      <p><strong>{what}.</strong> {t.purge.text}</p>
      <label>{t.purge.type(t.purge.word)}<input type="text" autocomplete="off" value={typed.value} onInput={(e) => (typed.value = e.currentTarget.value)} /></label>
      <div class="line"><button type="submit" disabled={typed.value.trim() !== t.purge.word}>{t.actions.purge}</button><Cancel close={close} /></div>
    </form>
  );
}

/** Erases for good once the id was typed. */
export function PurgeForm({ of: m, close }: { of: Memory; close: () => void }) {
  const typed = useSignal("");
  const erase = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (await act(t.purge.done(m.id), () => post("purge", { ids: [m.id] }))) go("/memories", true);
  };
  return (
    <form class="form" onSubmit={(e) => void erase(e)}>
      <p>{t.purge.text}</p>
      <label>{t.purge.type(m.id)}<input type="text" autocomplete="off" value={typed.value} onInput={(e) => (typed.value = e.currentTarget.value)} /></label>
      <div class="line"><button type="submit" disabled={typed.value.trim() !== m.id}>{t.actions.purge}</button><Cancel close={close} /></div>
    </form>
  );
}
