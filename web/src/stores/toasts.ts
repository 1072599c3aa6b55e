/** Short notes at the edge of the page: what failed, what was done. */
import { defineStore } from "pinia";
import { ref } from "vue";
import { Problem } from "@/api/client";
import { textOf } from "@/i18n/problem";

export interface Toast {
  id: number;
  kind: "info" | "error";
  text: string;
  action?: { label: string; run(): void };
}

export const useToasts = defineStore("toasts", () => {
  const list = ref<Toast[]>([]);
  let last = 0;

  function show(kind: Toast["kind"], text: string, action?: Toast["action"]): number {
    const id = ++last;
    // What is said again is said once.
    const others = list.value.filter((one) => one.kind !== kind || one.text !== text);
    list.value = [...others.slice(-3), { id, kind, text, action }];
    // An error that something can be done about stays until somebody has seen to it.
    if (kind === "info" || !action) setTimeout(() => close(id), kind === "error" ? 9000 : action ? 12_000 : 4000);
    return id;
  }

  function close(id: number): void {
    list.value = list.value.filter((t) => t.id !== id);
  }

  /** Shows what an error says; a request that was given up says nothing. */
  function fail(error: unknown): void {
    if (error instanceof DOMException && error.name === "AbortError") return;
    if (!(error instanceof Problem)) console.error(error);
    show("error", textOf(error));
  }

  return {
    list,
    info: (text: string, action?: Toast["action"]) => show("info", text, action),
    warn: (text: string, action?: Toast["action"]) => show("error", text, action),
    fail,
    close,
  };
});
