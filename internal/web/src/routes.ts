// The pages: a path, the file that draws it, and its place in the navigation.
// A page is a component that gets the path's parts as properties.
import type { ComponentType } from "preact";

export interface Route {
  path: string; // parts that begin with ":" are handed to the page
  load: () => Promise<{ default: ComponentType<never> }>;
  nav?: {
    label: string;
    group: 1 | 2 | 3; // groups stand apart
    key: string; // opens it after g
  };
  of?: string; // the path of the page in the navigation that it belongs to
  tab?: string; // its name among the tabs of that page; a page with such others has one too
}

export const routes: Route[] = [
  { path: "/", load: () => import("./pages/today"), nav: { label: "Today", group: 1, key: "t" } },
  { path: "/sessions", load: () => import("./pages/sessions"), nav: { label: "Sessions", group: 1, key: "s" }, tab: "All sessions" },
  { path: "/recap", load: () => import("./pages/recap"), of: "/sessions", tab: "Recap" },
  { path: "/state", load: () => import("./pages/state"), of: "/sessions", tab: "Where work stands" },
  { path: "/handoff", load: () => import("./pages/handoff"), of: "/sessions", tab: "Handoff" },
  { path: "/state/:id", load: () => import("./pages/state"), of: "/sessions" },
  { path: "/sessions/:id", load: () => import("./pages/session"), of: "/sessions" },
  { path: "/memories", load: () => import("./pages/memories"), nav: { label: "Memories", group: 1, key: "m" } },
  { path: "/m/:id", load: () => import("./pages/memory"), of: "/memories" },
  { path: "/injections", load: () => import("./pages/injections"), nav: { label: "Injections", group: 1, key: "i" } },
  { path: "/injections/:id", load: () => import("./pages/injection"), of: "/injections" },
  { path: "/review", load: () => import("./pages/review"), nav: { label: "Review", group: 2, key: "r" }, tab: "Findings" },
  { path: "/propose", load: () => import("./pages/propose"), of: "/review", tab: "Lines for AGENTS.md" },
  { path: "/usage", load: () => import("./pages/usage"), nav: { label: "Usage", group: 2, key: "u" } },
  { path: "/files", load: () => import("./pages/files"), nav: { label: "Files", group: 2, key: "f" } },
  { path: "/blame", load: () => import("./pages/blame"), of: "/files" },
  { path: "/map", load: () => import("./pages/map"), nav: { label: "Map", group: 2, key: "p" } },
  { path: "/health", load: () => import("./pages/health"), nav: { label: "Health", group: 3, key: "h" }, tab: "Checks" },
  { path: "/log", load: () => import("./pages/log"), of: "/health", tab: "Log" },
  { path: "/settings", load: () => import("./pages/settings"), nav: { label: "Settings", group: 3, key: "," } },
];

/** The path of the page in the navigation that a route belongs to. */
export const homeOf = (r: Route): string => r.of ?? r.path;

/** The tabs of the page that a route belongs to; none for a page of one part, or below a tab. */
export const tabsOf = (r: Route): Route[] => (r.tab ? routes.filter((x) => x.tab && homeOf(x) === homeOf(r)) : []);
