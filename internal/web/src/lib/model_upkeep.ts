// What the API answers to the pages on recalls, cost and upkeep.
import type { Memory, StatusResponse, Project, Receipt, Session } from "./model";

export interface ReceiptRow {
  id: string; at: string; session: string; session_short: string; project: string; project_name: string; trigger: string; query: string; outcome: string;
  candidates: number; injected: number; left_out: number; tokens: number; budget: number; took_ms: number; floor: number; best: number;
}
export interface ReceiptsResponse { project: Project; receipts: ReceiptRow[]; more: boolean }

export interface Compaction { checkpoint: string; exact: number; kept: number; restored: number; told: number }
export interface Weights { memories: Record<string, number>; utterances: Record<string, number> }
export interface WhyResponse {
  receipt: Receipt & { compaction?: Compaction; aside?: boolean };
  session_short?: string; states?: Record<string, string>; used?: Record<string, boolean>; agents?: Record<string, string>; later?: Receipt; weights: Weights;
}
export interface WhatIf { receipt: Receipt; added: string[]; removed: string[]; basis: "receipt" | "now" }

export interface Day {
  day: string; tokens: Record<string, number>; injected: number; abstained: number; results: number; calls: number; model: number; avoided: number;
}
export interface DeadItem { id: string; kind: string; title: string; pinned: boolean; injections: number; tokens: number; last: string }
export interface Economy {
  project: Project; since: string; days: Day[]; triggers: string[]; sessions: number; cut?: boolean; total: Day; injected: number; by_trigger: { trigger: string; injected: number; used: number }[]; used: number;
  tools_tokens: number; estimate: { tokens: number; items: number; per_read: number; reads: number; formula: string }; dead: DeadItem[];
}

export interface FileLine { path: string; memories: number; changes: number; recalls: number; last: string }
export interface FileTree { project: Project; files: FileLine[]; total: number }
export interface FilePage { project: Project; path: string; memories: Memory[]; sessions: Session[]; stale: Record<string, string> | null }

export interface Decision { id?: string; title: string; decision: string; rationale?: string; decided_by?: string; status?: string; date?: string }
export interface WorkItem { id?: string; section: string; text: string; done: boolean }
export interface WorkState {
  project: Project; files?: string; untrusted?: string; phase: string; status: string; active_work: string[] | null; blockers: string[] | null;
  next_action: string; updated?: string; progress: WorkItem[] | null; decisions: Decision[] | null;
  sessions: { title?: string; summary: string; completed?: string[]; next?: string[] }[] | null;
}
export interface OverviewResponse { at: string; projects: { state: WorkState; memories: number; sessions: number; stale: boolean }[] }

export interface Check { id: string; required: boolean; state: "ok" | "warn" | "fail" | "info"; code: string | null; what: string; why: string | null; fix: string[]; safe_fix: boolean }
export interface Checkup {
  ok: boolean; deep: boolean; checks: Check[]; summary: { ok: number; warn: number; fail: number }; version: string; build: string; since: string; at: string;
  overview: StatusResponse; latencies_ms: number[];
}
export interface Sizes { parts: { name: string; bytes: number; count: number }[]; bytes: number }

export interface LogLine { at: string | null; level: string; text: string; more: string }
export interface LogGroup { level: string; text: string; count: number; first: string | null; last: string | null; more: string }
export interface Log { file: string; lines: LogLine[]; groups: LogGroup[] }

export interface Setting {
  key: string; value: unknown; default: unknown; origin: string; doc: string; text: string;
  type: "boolean" | "integer" | "number" | "string" | "list" | "duration"; choices: string[]; env: string; at_start: boolean; preview: boolean;
}
export interface Pause { target: string; until: string | null; inject_only: boolean }
export interface Settings { file: string; values: Setting[]; warnings: string[]; pauses: Pause[]; notes: string[] }
export interface Redacted { text: string; private: number; injected: number; secrets: { kind: string; count: number }[] }

export interface ReviewItem { rule: string; text: string; memories: Memory[]; actions: ("accept" | "reject" | "merge")[]; accept: string; proposal?: Proposal }
// A change that an agent asks for; without a text the memory's own stays.
export interface Proposal { id: string; action: string; title?: string; body?: string; was: string; reason?: string; session?: string; at: string }
export interface ReviewResponse { project: Project; examined: number; counts: Record<string, number>; items: ReviewItem[] }
export interface Resolved { rule: string; action: string; run?: string; memories: Memory[] | null; decided?: number; left?: number }

export interface GraphNode { id: string; type: "memory" | "entity"; kind: string; name: string; weight: number; status?: string; trust?: string; at: string; mentions?: number }
export interface GraphEdge { from: string; to: string; kind: string; confidence: number }
export interface Graph { project: Project; center?: string; nodes: GraphNode[]; edges: GraphEdge[]; cut: boolean }
