// Auto, light or dark. Auto follows the system.
import { signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
const themes: Theme[] = ["auto", "light", "dark"];

export const theme = signal<Theme>((localStorage.getItem("theme") as Theme | null) ?? "auto");
theme.subscribe((t) => {
  localStorage.setItem("theme", t);
  if (t === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = t;
});

export function nextTheme(): Theme {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "auto";
  return theme.value;
}

/** The value of a colour of the style sheet, for what draws on a canvas. */
export function colour(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
