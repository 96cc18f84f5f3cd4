// The files that memories are about: as a tree, and one by one.
import { useSignal } from "@preact/signals";
import { getRows, post, project } from "../lib/api";
import { commandHere } from "../lib/command";
import { count, many } from "../lib/format";
import { useRows } from "../lib/keys";
import type { FileLine, FilePage, FileTree } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { bl } from "../strings/history";
import { fl } from "../strings/places";
import { Ago, Empty, Head, ID, Kind, Loaded, Section, Table, Tag } from "../ui/parts";

export default function Files() {
  const path = query.value.get("path") ?? "";
  return path ? <One key={path} path={path} /> : <Tree />;
}

const link = (path: string): string => "/files?path=" + encodeURIComponent(path);

interface Folder { path: string; name: string; folders: Map<string, Folder>; files: FileLine[]; sum: FileLine }
const zero = (path: string): FileLine => ({ path, memories: 0, changes: 0, recalls: 0, last: "" });

function folderOf(files: readonly FileLine[]): Folder {
  const top: Folder = { path: "", name: "", folders: new Map(), files: [], sum: zero("") };
  for (const f of files) {
    const parts = f.path.split("/");
    let at = top;
    const add = (d: Folder): void => {
      const s = d.sum;
      s.memories += f.memories; s.changes += f.changes; s.recalls += f.recalls;
      if (f.last > s.last) s.last = f.last;
    };
    add(at);
    for (const name of parts.slice(0, -1)) {
      const path = at.path ? at.path + "/" + name : name;
      let next = at.folders.get(name);
      if (!next) at.folders.set(name, (next = { path, name, folders: new Map(), files: [], sum: zero(path) }));
      at = next;
      add(at);
    }
    at.files.push(f);
  }
  return top;
}

const page = 100, most = 2000; // files; with the folders around them about twice as many rows

type Row = { line: FileLine; depth: number; name: string; folder?: Folder };

function Tree() {
  const under = query.value.get("under") ?? "";
  const limit = useSignal(page);
  const params = { project: project.value, under, limit: limit.value };
  const tree = useResource((a) => getRows<FileTree>("files", "files", params, a), [under, limit.value]);
  const shut = useSignal<ReadonlySet<string>>(new Set());
  const rows = useRows();
  const toggle = (path: string): void => {
    const next = new Set(shut.value);
    next.has(path) ? next.delete(path) : next.add(path);
    shut.value = next;
  };
  const flat = (d: Folder, depth: number): Row[] => [
    ...[...d.folders.values()].sort((a, b) => b.sum.memories - a.sum.memories || a.name.localeCompare(b.name)).flatMap((x) => [
      { line: x.sum, depth, name: x.name + "/", folder: x }, ...(shut.value.has(x.path) ? [] : flat(x, depth + 1)),
    ]),
    ...d.files.map((f) => ({ line: f, depth, name: f.path.slice(f.path.lastIndexOf("/") + 1) || f.path })),
  ];
  return (
    <>
      <Head title={fl.title} command={commandHere("search", "--file", "PATH")} json="files" params={params} />
      {under && <p class="line"><span class="muted">{fl.under}</span> <code>{under}</code> <button type="button" class="quiet" onClick={() => setQuery({ under: "" })}>{fl.top}</button></p>}
      <Loaded of={tree}>{(d) => {
        if (d.files.length === 0) return <Empty title={fl.none}><p class="muted">{fl.noneNote}</p></Empty>;
        const top = Math.max(1, ...d.files.map((f) => f.memories));
        return (
          <div ref={rows} class="hscroll">
            <p class="muted">{fl.total(d.files.length, d.total)}</p>
            <Table caption={fl.tree} of={flat(folderOf(d.files), 0)} id={(r) => r.line.path + (r.folder ? "/" : "")} columns={[
              { head: fl.heads.path, wide: true, cell: (r) => (
                <span class="tree-path" style={{ paddingLeft: (r.folder ? r.depth : r.depth + 1) * 1.2 + "em" }}>
                  {r.folder
                    ? <button type="button" class="quiet" aria-expanded={!shut.value.has(r.folder.path)} aria-label={`${shut.value.has(r.folder.path) ? fl.open : fl.close} ${r.folder.path}`} onClick={() => toggle(r.folder!.path)}>{shut.value.has(r.folder.path) ? "▸" : "▾"} {r.name}</button>
                    : <a href={link(r.line.path)}>{r.name}</a>}
                </span>
              ) },
              { head: fl.heads.memories, num: true, cell: (r) => <span class="score">{!r.folder && <Heat share={r.line.memories / top} />}<span class="num">{count(r.line.memories)}</span></span> },
              { head: fl.heads.changes, num: true, cell: (r) => count(r.line.changes) },
              { head: fl.heads.recalls, num: true, cell: (r) => count(r.line.recalls) },
              { head: fl.heads.last, num: true, spare: true, cell: (r) => <Ago at={r.line.last} /> },
            ]} />
            {d.files.length < Math.min(d.total, most) && <p><button type="button" disabled={tree.loading} onClick={() => (limit.value = Math.min(most, limit.value + 2 * page))}>{fl.more}</button></p>}
            {d.files.length >= most && d.total > most && <p class="muted">{fl.beyond}</p>}
          </div>
        );
      }}</Loaded>
    </>
  );
}

const Heat = ({ share }: { share: number }) => (
  <svg class="heat" viewBox="0 0 60 10" aria-hidden="true"><rect width={Math.max(2, 60 * share)} height="10" opacity={0.35 + 0.65 * share} /></svg>
);

function One({ path }: { path: string }) {
  const params = { project: project.value, path };
  const file = useResource((a) => post<FilePage>("file", params, a), [path], (e) => e.type === "changed");
  const rows = useRows();
  return (
    <>
      <Head title={<code>{path}</code>} name={path} command={commandHere("search", "--file", path)} json="file" params={params} />
      <p class="line">
        <a href="/files">{fl.top}</a>
        <a href={"/blame?path=" + encodeURIComponent(path)}>{bl.show}</a>
        {path.includes("/") && <a href={"/files?under=" + encodeURIComponent(path.slice(0, path.lastIndexOf("/")))}>{path.slice(0, path.lastIndexOf("/") + 1)}</a>}
      </p>
      <Loaded of={file}>{(d) => (
        <div ref={rows}>
          <Section title={fl.known} id="known">
            {d.memories.length === 0 ? <p class="muted">{fl.knownNone}</p> : (
              <Table caption={fl.known} of={d.memories} id={(m) => m.id} columns={[
                { head: "ID", cell: (m) => <ID of={m.id} /> },
                { head: "memory", wide: true, cell: (m) => <span class="title-cell">{m.title}<span class="sub"><Kind of={m.kind} /></span></span> },
                { head: fl.since, cell: (m) => {
                  const s = d.stale?.[m.id];
                  return s === "changed" || s === "gone" ? <Tag tone="warn">{fl.fresh[s]}</Tag> : <span class="muted">{s === undefined ? fl.untied : fl.fresh["fresh"]}</span>;
                } },
                { head: fl.heads.last, num: true, cell: (m) => <Ago at={m.created} /> },
              ]} />
            )}
          </Section>
          <Section title={fl.sessions} id="sessions">
            {d.sessions.length === 0 ? <p class="muted">{fl.sessionsNone}</p> : (
              <Table caption={fl.sessions} of={d.sessions} id={(s) => s.id} columns={[
                { head: "session", cell: (s) => <ID of={s.short} /> },
                { head: "first prompt", wide: true, cell: (s) => s.first_prompt || <span class="muted">–</span> },
                { head: fl.work, num: true, cell: (s) => many(s.prompts, "prompt") },
                { head: "last", num: true, cell: (s) => <Ago at={s.last_event} /> },
              ]} />
            )}
          </Section>
        </div>
      )}</Loaded>
    </>
  );
}
