// What the API answers, as far as pages need it. The daemon leaves out empty optional fields.

export interface Project { key: string; name: string; root?: string; branch?: string; last_event?: string }
export interface Projects { projects: Project[]; review: Record<string, number> }

export interface Source { agent?: string; session?: string; prompt?: number; event?: string; tool_use_id?: string; agent_id?: string }
export interface Feedback { at: string; verdict: string; note?: string; was?: string; by: string; session?: string }
export interface Anchor { file: string; hash: string }

export type Scope = "session" | "project" | "user";
export type Status = "active" | "superseded" | "forgotten";

export interface Memory {
  id: string; scope: Scope; project?: string; session?: string;
  kind: string; title: string; body?: string; facts: string[]; concepts: string[]; tags: string[];
  files: string[]; anchors?: Anchor[]; modified?: string[]; tool?: string; command?: string; exit_code?: number; event?: string;
  importance: number; confidence: number; trust: "L0" | "L1" | "L2" | "L3"; origin: string; source: Source;
  resolved: boolean; status: Status; pinned?: boolean; supersedes?: string; branch?: string; commit?: string; repeats?: number;
  invariant?: string; feedback?: Feedback[]; uses: number; last_used?: string; created: string; updated: string; hidden?: string;
  speaker?: string; prevented?: number; evergreen?: boolean;
}

export interface Hit extends Memory { score: number; parts?: Record<string, number> }

export interface InjectedItem { id: string; rank: number; kind?: string; title?: string; score: number; parts?: Record<string, number>; tokens: number; stale?: string; place?: string }
export interface LeftOutItem { id: string; title?: string; score: number; parts?: Record<string, number>; required?: boolean; gate: string }
export interface Receipt {
  id: string; session: string; project?: string; at: string; trigger: string; asked?: string; terms?: string[];
  outcome: "injected" | "abstained" | "nothing" | "off"; candidates: number; floor: number; budget: number; tokens: number; took_ms: number;
  items?: InjectedItem[]; dropped?: LeftOutItem[]; text?: string;
}

export interface Session {
  id: string; number: number; short: string; agent: string; project: string; project_name: string; root?: string; first_prompt?: string;
  prompts: number; status: string; source?: string; model?: string; created: string; completed?: string; end_reason?: string; last_event: string;
  processing: boolean; compactions?: number; notifications?: number; last_notification?: string; injected_tokens: number; context_tokens?: number; context_window?: number;
}

export interface TimelineEntry { id: string; at: string; session: string; what: string; title: string; files?: string[]; project?: string; project_name?: string; tokens?: number; count?: number }
export interface Timeline { anchor?: string; entries: TimelineEntry[] | null }

export interface Health {
  since?: string; hooks: number; hook_errors: number; hook_timeouts: number; hook_p50_ms: number; hook_p95_ms: number; private: number; secrets: number;
  queue_depth: number; oldest_job_s: number; dead_jobs: number; last_error?: string;
}
export interface Stats {
  memories: number; hidden: number; kinds?: Record<string, number>; today: number; sessions: number; events: number; turns: number;
  receipts: number; jobs: number; bytes: number; injected_tokens: number; by_outcome?: Record<string, number>;
}
export interface StatusResponse {
  embedding?: unknown; project: Project; stats: Stats; last_session?: Session; last_injection?: Receipt; pauses: { target: string; until?: string; inject_only?: boolean }[] | null; health: Health; digest?: { today: { tokens: number } } }

export interface Day { since: string; sessions: number; captured: number; memories: number; recalled: number; abstained: number; tokens: number }
export type UseKind = "cited" | "fetched" | "rated" | "edited" | "ran";
export interface TodayUse { id: string; kind: string; title: string; at: string; how?: UseKind; file?: string; session?: string }
export interface ItemState { uses?: number; pinned?: boolean; yours?: boolean; stale?: string; contradicts?: string[]; created?: string; dead?: boolean }
export interface Purged {
  purged: { memories: number; events: number; turns: number; receipts: number; checkpoints: number };
  memories?: Memory[]; with?: Memory[]; mentions?: Count[]; unreached: string[];
}
export interface Today {
  sessions: number; projects: number; kept: number; kinds: Count[]; newest: TimelineEntry[]; injected: number; tokens: number; abstained: number;
  used: TodayUse[]; last: { id: string; at: string; trigger: string; query: string; tokens: number; injected: number } | null; last_used: number; open: TimelineEntry[]; review: number;
}
export interface UseSession { id: string; short: string; agent?: string; project: string; project_name: string; at: string; title: string; learned: number }
export interface SessionUse { from: string; to: string; memory: string; kind: string; title: string; how?: UseKind; file?: string }
export interface SessionUses { project: Project; sessions: UseSession[]; uses: SessionUse[]; cut?: boolean }
export interface Now extends StatusResponse { next: Receipt; next_project: Project; next_items: Record<string, ItemState>; day: Day; today: Today; recent: TimelineEntry[] }

export interface Count { value: string; n: number }
export interface SessionRow extends Session { memories: number; files: number; injections: number; tokens: number; branches?: string[]; result?: string }
export interface Sessions { project: Project; sessions: SessionRow[]; total: number; agents: Count[]; branches: Count[] }

export interface StoryEntry { id: string; at: string; lane: string; title: string; detail?: string; prompt?: number; failed?: boolean; took_ms?: number; tokens?: number; agent_id?: string }
export interface Activity { prompts: number; tools: number; gaps: number; idle_s: number }
export interface SessionStory { session: SessionRow; activity: Activity; entries: StoryEntry[]; cut?: number; partial?: boolean }

export interface Marks { title?: [number, number][]; excerpt?: string; in?: [number, number][] }
export interface SearchResponse {
  project: Project; results: Hit[]; next?: string; stale?: Record<string, string>; searched: number; took_ms: number; terms: string[]; warning?: string;
  facets?: Record<string, Count[]>; counted?: number; marks?: Record<string, Marks>;
}

export interface InjectionRow { receipt: string; session: string; at: string; trigger: string; query?: string; rank: number; score: number; tokens: number }
export interface UseRow { turn: string; how?: UseKind; file?: string; at?: string; session: string; title: string }
export interface MemoryStory {
  uses: UseRow[];
  memory: Memory; provenance: string; session?: Session; project?: Project; prompt?: string; stale?: string; injections: InjectionRow[];
  replaces?: Memory; replaced_by?: Memory;
}
