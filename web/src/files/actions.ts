/** What can be done with a project's files; each says what failed and reads the tree again. */
import { useI18n } from "vue-i18n";
import { Problem } from "@/api/client";
import { deleteFile, makeDirectory, moveFile, uploadFiles, writeFile, type OnConflict } from "@/api/projects";
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
    const question = {
      title: t("file.deleteTitle", { name: entry.name }),
      hint: t("file.deleteHint"),
      action: t("app.delete"),
    };
    return (await confirm.ask(question)) && attempt(() => deleteFile(project, entry.path));
  }

  async function upload(folder: string, files: Dropped[]): Promise<void> {
    if (files.length === 0) return;
    let taken: string[] = [];
    const send = async (onConflict: OnConflict): Promise<boolean> => {
      const note = toasts.info(t("project.uploading", { n: files.length }, files.length));
      const done = await attempt(() =>
        uploadFiles(project, folder, files, onConflict).catch((error: unknown) => {
          taken = takenPaths(error);
          if (taken.length === 0 || onConflict !== "fail") throw error;
        }),
      );
      toasts.close(note);
      return done && taken.length === 0;
    };
    let stored = files.length;
    let done = await send("fail");
    if (taken.length > 0) {
      const names = taken;
      const how = (await confirm.choose(conflictQuestion(names))) as OnConflict | "";
      if (how === "") return;
      taken = [];
      if (how === "skip") stored -= names.length;
      done = await send(how);
    }
    if (done && stored > 0) toasts.info(t("project.uploaded", { n: stored }, stored));
  }

  function conflictQuestion(paths: string[]) {
    return {
      title: t("project.taken", { n: paths.length }, paths.length),
      hint: t("project.takenHint"),
      items: paths,
      answers: [
        { value: "skip", label: t("project.skip"), kind: "plain" as const },
        { value: "replace", label: t("project.replace"), kind: "danger" as const },
        { value: "keep_both", label: t("project.keepBoth"), kind: "primary" as const },
      ],
    };
  }

  return {
    remove,
    upload,
    move: (from: string, to: string) => attempt(() => moveFile(project, from, to)),
    makeFolder: (path: string) => attempt(() => makeDirectory(project, path)),
    makeFile: (path: string) => attempt(() => writeFile(project, path, "", "")),
  };
}

/** The paths that an upload found taken, out of the server's answer. */
function takenPaths(error: unknown): string[] {
  if (!(error instanceof Problem) || error.code !== "already_exists") return [];
  return error.errors.map((e) => e.message || "").filter((path) => path !== "");
}
