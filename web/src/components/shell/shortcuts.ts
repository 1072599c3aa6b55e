/** Keys that work everywhere. Views listen for the named events they can answer. */
import { onMounted, onUnmounted } from "vue";
import { useRouter } from "vue-router";
import { usePrefs } from "@/stores/prefs";
import { useUi } from "@/stores/ui";

export const isMac = /mac|iphone|ipad/i.test(navigator.platform);
export const mod = isMac ? "⌘" : "Ctrl";

/** What a view may answer. */
export type Command = "stop" | "focus" | "panel" | "approvals" | "settled" | "find" | "edit";

export function send(command: Command): void {
  dispatchEvent(new CustomEvent("nanoclaw:command", { detail: command }));
}

/** Answers commands as long as the component lives. */
export function useCommands(handlers: Partial<Record<Command, () => void>>): void {
  const hear = (event: Event) => handlers[(event as CustomEvent<Command>).detail]?.();
  onMounted(() => addEventListener("nanoclaw:command", hear));
  onUnmounted(() => removeEventListener("nanoclaw:command", hear));
}

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

  function plain(event: KeyboardEvent): (() => void) | null {
    if (event.key === "?") return () => (ui.shortcuts = true);
    if (event.key === "/") return () => send("focus");
    return null;
  }

  function toggleSidebar(): void {
    if (matchMedia("(max-width: 767px)").matches) ui.drawer = !ui.drawer;
    else prefs.sidebar = !prefs.sidebar;
  }

  function hear(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const typing = (event.target as HTMLElement).closest?.(
      "input, textarea, select, [contenteditable=true], .cm-editor",
    );
    const dialog = document.querySelector('[role="dialog"], [role="menu"]');
    const pressed = isMac ? event.metaKey : event.ctrlKey;
    const act = pressed ? withMod(event) : typing || dialog || event.metaKey || event.ctrlKey ? null : plain(event);
    if (act) {
      event.preventDefault();
      act();
    } else if (!typing && !dialog && !pressed && !event.metaKey && !event.ctrlKey && /^\S$/u.test(event.key)) {
      // Whoever types means the message: the box has the focus before the character arrives.
      send("focus");
    }
  }

  onMounted(() => addEventListener("keydown", hear));
  onUnmounted(() => removeEventListener("keydown", hear));
}
