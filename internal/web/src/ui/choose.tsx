// What a page about one project shows while none is chosen.
import { get, project } from "../lib/api";
import type { Projects } from "../lib/model";
import { useResource } from "../lib/resource";
import { Empty } from "./parts";

/** Asks for a project; each of them is a button. */
export function ChooseProject({ title }: { title: string }) {
  const all = useResource((a) => get<Projects>("projects", {}, a), []);
  return (
    <Empty title={title}>
      <p class="line">{(all.data?.projects ?? []).map((p) => <button key={p.key} type="button" onClick={() => (project.value = p.key)}>{p.name || p.key}</button>)}</p>
    </Empty>
  );
}
