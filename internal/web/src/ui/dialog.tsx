// Dialogs: where the focus is while one is open, and after it.
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { enterField, expectField, leaveDialog } from "../lib/keys";
import { s } from "../strings";

const TEXT = "textarea:enabled,[contenteditable]:not([contenteditable=false]),input:enabled:not([type=checkbox],[type=radio],[type=range],[type=button],[type=submit],[type=hidden])";

/**
 * Focuses the first field for text, also if it appears later, or Cancel where the dialog destroys something. Until
 * then, or if there is neither, the dialog itself has the focus, where no key presses a button. The result ends the waiting.
 */
function focusFirst(dialog: HTMLDialogElement, destroys: boolean): () => void {
  const wait = new MutationObserver(() => place());
  const place = (): boolean => {
    const to = dialog.querySelector<HTMLElement>(destroys ? "[data-cancel]" : TEXT);
    if (!to) return false;
    wait.disconnect();
    if (document.activeElement === dialog) enterField(to); // a person who moved on stays there
    return true;
  };
  dialog.focus();
  if (!destroys) expectField();
  if (!place()) wait.observe(dialog, { childList: true, subtree: true });
  return () => wait.disconnect();
}

/**
 * A dialog in front of the page. Esc closes it, and the focus goes back to where it was. destroys says that what it
 * orders cannot be taken back; it holds a Cancel then.
 */
export function Dialog({ title, close, destroys = false, children }: { title: string; close: () => void; destroys?: boolean; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    const end = focusFirst(dialog, destroys);
    return () => {
      end();
      leaveDialog(dialog);
      dialog.close(); // gives the focus back, which taking it out of the page does not
    };
  }, []);
  return (
    <dialog ref={ref} tabIndex={-1} aria-label={title} onClose={(e) => { if (e.currentTarget.isConnected) close(); }} onClick={(e: TargetedMouseEvent<HTMLDialogElement>) => { if (e.target === ref.current) close(); }}>
      <div class="dialog">
        <div class="section-head"><h2>{title}</h2><button type="button" class="quiet" onClick={close}>{s.close}</button></div>
        {children}
      </div>
    </dialog>
  );
}

/** The button that leaves a dialog without its order, and has the focus first where the order destroys something. */
export function Cancel({ close }: { close: () => void }) {
  return <button type="button" data-cancel onClick={close}>{s.cancel}</button>;
}

/** Asks before an order that cannot be taken back. */
export function Confirm({ title, text, yes, order, close }: { title: string; text: string; yes: string; order: () => void; close: () => void }) {
  return (
    <Dialog title={title} close={close} destroys>
      <div class="form">
        <p>{text}</p>
        <div class="line"><button type="button" onClick={() => { close(); order(); }}>{yes}</button><Cancel close={close} /></div>
      </div>
    </Dialog>
  );
}
