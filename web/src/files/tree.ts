/** A project's files as a tree that is read folder by folder, and shown as a flat list of rows. */
import { computed, reactive, ref } from "vue";
import { listFiles } from "@/api/projects";
import type { FileEntry } from "@/api/types";

/** As people count: file-2 before file-10. */
const byName = new Intl.Collator(undefined, { numeric: true }).compare;

export interface TreeRow {
  entry: FileEntry;
  depth: number;
  open: boolean;
  busy: boolean;
}

export function useTree(project: string) {
  const folders = reactive(new Map<string, FileEntry[]>());
  const opened = reactive(new Set<string>());
  const loading = reactive(new Set<string>());
  const error = ref<unknown>(null);
  /** How often each folder was asked for: an answer that others have overtaken says nothing any more. */
  const asked = new Map<string, number>();

  async function load(path: string): Promise<void> {
    const turn = (asked.get(path) ?? 0) + 1;
    const overtaken = () => asked.get(path) !== turn;
    asked.set(path, turn);
    loading.add(path);
    try {
      const entries = await listFiles(project, path);
      if (overtaken()) return;
      // Whatever a server calls it, here a path never starts with a slash.
      folders.set(
        path,
        entries
          .map((e) => ({ ...e, path: path ? `${path}/${e.name}` : e.name }))
          .sort((a, b) => Number(b.type === "directory") - Number(a.type === "directory") || byName(a.name, b.name)),
      );
      error.value = null;
    } catch (failure) {
      if (overtaken()) return;
      opened.delete(path);
      folders.delete(path);
      if (path === "") error.value = failure;
    } finally {
      if (!overtaken()) loading.delete(path);
    }
  }

  async function toggle(path: string): Promise<void> {
    if (opened.delete(path)) return;
    opened.add(path);
    await load(path);
  }

  /** Opens the folders above a path. */
  async function reveal(path: string): Promise<void> {
    const parts = path.split("/").slice(0, -1);
    for (let i = 1; i <= parts.length; i++) {
      const folder = parts.slice(0, i).join("/");
      if (!opened.has(folder)) await toggle(folder);
    }
  }

  /** Reads again what is open. */
  async function refresh(): Promise<void> {
    await Promise.all([load(""), ...[...opened].map(load)]);
  }

  const rows = computed<TreeRow[]>(() => {
    const out: TreeRow[] = [];
    const walk = (path: string, depth: number) => {
      for (const entry of folders.get(path) ?? []) {
        const open = opened.has(entry.path);
        out.push({ entry, depth, open, busy: loading.has(entry.path) });
        if (open) walk(entry.path, depth + 1);
      }
    };
    walk("", 0);
    return out;
  });

  const ready = computed(() => folders.has(""));
  return { rows, ready, error, toggle, reveal, refresh, load };
}
