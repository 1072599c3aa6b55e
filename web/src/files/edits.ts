/**
 * Edits of files that are not saved, so that neither another page, a reload nor an outage loses one. They are in local
 * storage, by project and path; one that finds no room there lasts as long as the page.
 */
export interface Edit {
  text: string;
  /** What the edit started from, and its version. */
  base: string;
  etag: string;
}

const prefix = "nanoclaw.edit.";
const inPage = new Map<string, Edit>();
const keyOf = (project: string, path: string) => `${prefix}${project}/${path}`;

export function editOf(project: string, path: string): Edit | null {
  const key = keyOf(project, path);
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null") as Edit | null;
    return kept ?? inPage.get(key) ?? null;
  } catch {
    // Closed or broken storage.
    return inPage.get(key) ?? null;
  }
}

/** Keeps an edit; null: it is saved or given up. False: a reload would lose it. */
export function keepEdit(project: string, path: string, edit: Edit | null): boolean {
  const key = keyOf(project, path);
  inPage.delete(key);
  try {
    localStorage.removeItem(key);
    if (edit) localStorage.setItem(key, JSON.stringify(edit));
    return true;
  } catch {
    // Full or closed storage.
    if (edit) inPage.set(key, edit);
    return edit === null;
  }
}

/** Takes the edit along with a file, or with those of a folder, that is moved. */
export function moveEdits(project: string, from: string, to: string): void {
  for (const key of [...inPage.keys(), ...storedKeys()]) {
    const path = key.slice(prefix.length + project.length + 1);
    if (!key.startsWith(`${prefix}${project}/`) || !isWithin(path, from)) continue;
    const edit = editOf(project, path);
    keepEdit(project, path, null);
    keepEdit(project, to + path.slice(from.length), edit);
  }
}

/** Says whether a path is the other one, or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function storedKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
