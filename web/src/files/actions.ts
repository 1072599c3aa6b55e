/** What can be done with a project's files; each says what failed and reads the tree again. */
import { useI18n } from "vue-i18n";
import { Problem } from "@/api/client";
import { deleteFile, makeDirectory, moveFile, uploadFiles, writeFile } from "@/api/projects";
import type { FileEntry } from "@/api/types";
import { useConfirm } from "@/stores/confirm";
import { useToasts } from "@/stores/toasts";
import type { Dropped } from "./dropped";

export function useFileActions(project: string, refresh: () => Promise<void>) {
  const { t } = useI18n();
  const toasts = useToasts();
  const confirm = useConfirm();

  async function attempt(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (error instanceof Problem && (error.status === 412 || error.status === 409)) toasts.info(t("file.exists"));
      else toasts.fail(error);
      return false;
    } finally {
      await refresh();
    }
  }

  async function remove(entry: FileEntry): Promise<boolean> {
    const question = { title: t("file.deleteTitle", { name: entry.name }), hint: t("file.deleteHint"), action: t("app.delete") };
    return (await confirm.ask(question)) && attempt(() => deleteFile(project, entry.path));
  }

  async function upload(folder: string, files: Dropped[]): Promise<void> {
    if (files.length === 0) return;
    const note = toasts.info(t("project.uploading", { n: files.length }, files.length));
    const done = await attempt(() => uploadFiles(project, folder, files));
    toasts.close(note);
    if (done) toasts.info(t("project.uploaded", { n: files.length }, files.length));
  }

  return {
    remove,
    upload,
    move: (from: string, to: string) => attempt(() => moveFile(project, from, to)),
    makeFolder: (path: string) => attempt(() => makeDirectory(project, path)),
    makeFile: (path: string) => attempt(() => writeFile(project, path, "", "")),
  };
}
