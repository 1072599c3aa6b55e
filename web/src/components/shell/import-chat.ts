/** Takes exported conversations out of files: ours, or all that another chat has given out, as JSON or in its ZIP. */
import { useI18n } from "vue-i18n";
import { useRouter } from "vue-router";
import { importConversation } from "@/api/conversations";
import { renewConversations } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { useToasts } from "@/stores/toasts";

/** The conversations in a file, null for each that cannot be read; none: it is no export. */
async function conversationsIn(file: File): Promise<unknown[]> {
  const [{ foreignExport, isOwnExport }, { unzip }] = await Promise.all([
    import("@/chat/foreign-export"),
    import("@/chat/unzip"),
  ]);
  const packed = await unzip(file);
  const texts = packed
    ? packed.filter(({ name }) => /(^|\/)conversations[^/]*\.json$|(^|\/)[^/]*chat-export[^/]*\.json$/.test(name))
    : [file];
  const found: unknown[] = [];
  for (const one of texts) {
    const body: unknown = JSON.parse(await one.text());
    found.push(...(foreignExport(body) ?? (!packed && isOwnExport(body) ? [body] : [])));
  }
  return found;
}

export function useImport(): () => void {
  const { t } = useI18n();
  const router = useRouter();
  const toasts = useToasts();

  /** Imports what a file holds; what is refused does not keep the rest out. */
  async function take(file: File): Promise<Conversation[]> {
    const found = await conversationsIn(file).catch(() => []);
    const bodies = found.filter((one) => one !== null);
    if (bodies.length === 0) toasts.warn(t("side.notAnExport", { name: file.name }));
    const made: Conversation[] = [];
    let shown = 0;
    let failed = found.length - bodies.length;
    let told = false;
    for (const [i, body] of bodies.entries()) {
      if (i % 20 === 0 && bodies.length > 20) {
        toasts.close(shown);
        shown = toasts.info(t("side.importing", { n: i, total: bodies.length }));
      }
      try {
        made.push(await importConversation(body));
      } catch (error) {
        failed++;
        if (!told) toasts.fail(error);
        told = true;
      }
    }
    toasts.close(shown);
    if (failed && made.length) toasts.warn(t("side.importFailed", { n: failed }, failed));
    return made;
  }

  async function takeAll(files: File[]): Promise<void> {
    const made: Conversation[] = [];
    for (const file of files) made.push(...(await take(file)));
    const last = made.at(-1);
    if (!last) return;
    toasts.info(t("side.imported", { n: made.length }, made.length));
    await Promise.all([renewConversations(), router.push({ name: "chat", params: { id: last.id } })]);
  }

  return () => {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.accept = ".json,.zip,application/json,application/zip";
    input.onchange = () => void takeAll([...(input.files ?? [])]);
    input.click();
  };
}
