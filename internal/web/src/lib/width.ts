// The width that an element has on the page.
import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A reference for an element, and its width in pixels as the page is resized. */
export function useWidth<E extends Element>(first: number): [RefObject<E | null>, Signal<number>] {
  const el = useRef<E | null>(null), width = useSignal(first);
  useEffect(() => {
    const of = el.current;
    if (!of) return undefined;
    const watch = new ResizeObserver(() => (width.value = of.clientWidth || first));
    watch.observe(of);
    return () => watch.disconnect();
  }, []);
  return [el, width];
}
