/** Keys that work everywhere. Views listen for the named events they can answer. */
import { onMounted, onUnmounted } from "vue";
import { useRouter } from "vue-router";
import { usePrefs } from "@/stores/prefs";
import { useUi } from "@/stores/ui";

export const isMac = /mac|iphone|ipad/i.test(navigator.platform);
export const mod = isMac ? "⌘" : "Ctrl";

/** What a view may answer. */
export type Command = "stop" | "focus" | "panel" | "approvals" | "asked" | "settled" | "find" | "edit" | "rename";

export function send(command: Command): void {
  dispatchEvent(new CustomEvent("nanoclaw:command", { detail: command }));
}

/** Answers commands as long as the component lives. */
export function useCommands(handlers: Partial<Record<Command, () => void>>): void {
  const hear = (event: Event) => handlers[(event as CustomEvent<Command>).detail]?.();
  onMounted(() => addEventListener("nanoclaw:command", hear));
  onUnmounted(() => removeEventListener("nanoclaw:command", hear));
}

/** What takes characters itself. A letter on a radio button or a slider is meant for the message. */
const fields =
  "input:not([type=radio], [type=checkbox], [type=range], [type=file]), textarea, select, [contenteditable=true], .cm-editor";

/** A character that a key makes together with Alt: AltGr, and the option key of a Mac. */
const byAlt = (event: KeyboardEvent) =>
  event.getModifierState("AltGraph") || (isMac && event.altKey && !event.ctrlKey && !event.metaKey);

/** A character, the beginning of one, or what is pasted. */
const beginsText = (event: KeyboardEvent, pressed: boolean) =>
  pressed ? event.key.toLowerCase() === "v" : /^(\S|Dead|Process)$/u.test(event.key);

export function useShortcuts(): void {
  const ui = useUi();
  const prefs = usePrefs();
  const router = useRouter();

  function withMod(event: KeyboardEvent): (() => void) | null {
    const key = event.key.toLowerCase();
    if (key === "k") return () => (ui.palette = !ui.palette);
    if (key === "o" && event.shiftKey) return () => void router.push("/");
    if (key === "b" && !event.shiftKey) return toggleSidebar;
    if (key === ".") return () => send("stop");
    if (key === "j" && !event.shiftKey) return () => send("panel");
    if (key === "g" && !event.shiftKey && document.querySelector("[data-conversation]")) return () => send("approvals");
    if (key === "f" && !event.shiftKey && document.querySelector("[data-conversation]")) return () => send("find");
    return null;
  }

  function toggleSidebar(): void {
    if (matchMedia("(max-width: 767px)").matches) ui.drawer = !ui.drawer;
    else prefs.sidebar = !prefs.sidebar;
  }

  function hear(event: KeyboardEvent): void {
    const alt = byAlt(event);
    if (event.defaultPrevented || event.isComposing || (event.altKey && !alt)) return;
    const pressed = !alt && (isMac ? event.metaKey : event.ctrlKey);
    const act = pressed ? withMod(event) : null;
    if (act) {
      event.preventDefault();
      return act();
    }
    const other = !alt && !pressed && (event.metaKey || event.ctrlKey);
    const typing = (event.target as HTMLElement).closest?.(fields);
    // The palette is still on its way.
    if (event.key === "Escape" && !document.querySelector('[role="dialog"]')) ui.palette = false;
    if (other || typing || document.querySelector('[role="dialog"], [role="menu"], dialog[open]')) return;
    if (event.key === "?") {
      event.preventDefault();
      ui.shortcuts = true;
    }
    // Whoever types means the message: the box has the focus before the character arrives.
    else if (beginsText(event, pressed)) send("focus");
  }

  onMounted(() => addEventListener("keydown", hear));
  onUnmounted(() => removeEventListener("keydown", hear));
}
