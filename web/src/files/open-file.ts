/** One file that is being looked at: read, edited, saved, and watched for changes by others. */
import { computed, ref, shallowRef } from "vue";
import { Problem } from "@/api/client";
import { fileSize, readFile, writeFile } from "@/api/projects";
import { editOf, keepEdit } from "./edits";
import { fileOf, textIn, type Shape } from "./file-text";
import { isSource, previewOf } from "./preview";

/** Larger files are offered for download instead of being put into an editor. */
export const editorLimit = 2 * 1024 * 1024;

/** `media`: shown by the browser itself, and never read into the page. `encoded`: text that can't be saved as it was. */
export type FileKind = "text" | "encoded" | "media" | "large" | "binary";

export function useOpenFile(project: string, path: string) {
  const text = ref("");
  const saved = ref("");
  const etag = ref("");
  const kind = ref<FileKind>("text");
  const size = ref(0);
  const status = ref<"loading" | "ready" | "missing" | "failed">("loading");
  const error = shallowRef<unknown>(null);
  const saving = ref(false);
  /** What is on the server now, when it is not what the edit started from. */
  const theirs = ref<{ text: string; etag: string } | null>(null);
  const dirty = computed(() => text.value !== saved.value);
  /** As the file was when it was last read. */
  let shape: Shape = { mark: false, crlf: false };

  async function fetchText(): Promise<{ text: string; etag: string } | null> {
    const look = previewOf(path);
    if (look && look !== "pdf" && !isSource(look)) {
      size.value = await fileSize(project, path);
      kind.value = "media";
      return null;
    }
    const file = await readFile(project, path);
    size.value = file.bytes.byteLength;
    kind.value = kindOf(file.bytes);
    if (kind.value !== "text") return null;
    const read = textIn(file.bytes);
    if (read) ({ shape } = read);
    else kind.value = "encoded";
    return { text: read?.text ?? new TextDecoder().decode(file.bytes), etag: file.etag };
  }

  async function load(): Promise<void> {
    try {
      const file = await fetchText();
      theirs.value = null;
      if (file) takeUp(file);
      status.value = "ready";
    } catch (failure) {
      error.value = failure;
      if (!isGone(failure)) status.value = "failed";
      else status.value = takeUpAlone() ? "ready" : "missing";
    }
  }

  /** Shows the edit of a file that was deleted meanwhile. */
  function takeUpAlone(): boolean {
    const edit = editOf(project, path);
    if (!edit) return false;
    kind.value = "text";
    text.value = edit.text;
    saved.value = edit.base;
    etag.value = edit.etag;
    return true;
  }

  /** Shows a file, with the edit that was not saved. */
  function takeUp(file: { text: string; etag: string }): void {
    text.value = saved.value = file.text;
    etag.value = file.etag;
    const edit = editOf(project, path);
    if (!edit || edit.text === file.text) return;
    text.value = edit.text;
    if (edit.etag === file.etag || edit.base === file.text) return;
    saved.value = edit.base;
    etag.value = edit.etag;
    theirs.value = file;
  }

  /** Keeps what is not saved. False: a reload would lose it. */
  function keep(): boolean {
    if (status.value !== "ready" || kind.value !== "text") return true;
    return keepEdit(project, path, dirty.value ? { text: text.value, base: saved.value, etag: etag.value } : null);
  }

  /** Gives the edit up. */
  function discard(): void {
    text.value = saved.value;
    keepEdit(project, path, null);
  }

  /** Looks whether somebody else wrote the file. Without edits of ours the new text is just shown. */
  async function check(): Promise<boolean> {
    const before = etag.value;
    const file = await fetchText();
    // What was saved meanwhile is newer than what was read.
    if (!file || file.etag === etag.value || saving.value || etag.value !== before) return false;
    if (file.text === saved.value) {
      etag.value = file.etag;
      return false;
    }
    if (dirty.value) theirs.value = file;
    else {
      text.value = saved.value = file.text;
      etag.value = file.etag;
    }
    return true;
  }

  async function save(): Promise<void> {
    saving.value = true;
    const sent = text.value;
    try {
      etag.value = await write(sent);
      saved.value = sent;
      theirs.value = null;
    } catch (failure) {
      if (isChanged(failure)) theirs.value = await fetchText();
      else throw failure;
    } finally {
      saving.value = false;
    }
  }

  /** Where the file was deleted meanwhile, it is there again. */
  async function write(sent: string): Promise<string> {
    const body = fileOf(sent, shape);
    try {
      return await writeFile(project, path, body, etag.value);
    } catch (failure) {
      if (!isChanged(failure) || (await isThere())) throw failure;
      return writeFile(project, path, body, "");
    }
  }

  async function isThere(): Promise<boolean> {
    try {
      await fileSize(project, path);
    } catch (failure) {
      if (isGone(failure)) return false;
      throw failure;
    }
    return true;
  }

  /** Decides a conflict for our text, on top of what is there now. */
  async function keepMine(): Promise<void> {
    if (!theirs.value) return;
    etag.value = theirs.value.etag;
    await save();
  }

  function takeTheirs(): void {
    if (!theirs.value) return;
    text.value = saved.value = theirs.value.text;
    etag.value = theirs.value.etag;
    theirs.value = null;
  }

  /** Saves our text beside theirs, under the first free name, which it returns. */
  async function keepBoth(): Promise<string> {
    saving.value = true;
    try {
      for (let n = 2; ; n++) {
        const beside = numbered(path, n);
        try {
          await writeFile(project, beside, fileOf(text.value, shape), "");
          takeTheirs();
          return beside;
        } catch (failure) {
          const taken = failure instanceof Problem && (failure.status === 412 || failure.status === 409);
          if (!taken || n === 100) throw failure;
        }
      }
    } finally {
      saving.value = false;
    }
  }

  return {
    ...{ text, kind, size, status, error, saving, theirs, dirty, load, keep, discard },
    ...{ check, save, keepMine, takeTheirs, keepBoth },
  };
}

/** A path with a number before the extension of its name, as uploads that keep both have it. */
export function numbered(path: string, n: number): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  const end = dot > 0 ? path.length - name.length + dot : path.length;
  return `${path.slice(0, end)} (${n})${path.slice(end)}`;
}

const isChanged = (failure: unknown) => failure instanceof Problem && failure.status === 412;
const isGone = (failure: unknown) => failure instanceof Problem && failure.status === 404;

function kindOf(bytes: ArrayBuffer): FileKind {
  const head = new Uint8Array(bytes, 0, Math.min(bytes.byteLength, 8000));
  if (head.includes(0)) return "binary";
  return bytes.byteLength > editorLimit ? "large" : "text";
}
