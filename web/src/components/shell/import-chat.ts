/** Takes exported conversations out of a file: one of ours, or all that another chat has given out. */
import { useI18n } from "vue-i18n";
import { useRouter } from "vue-router";
import { importConversation } from "@/api/conversations";
import { renewConversations } from "@/api/queries";
import type { Conversation } from "@/api/types";
import { useToasts } from "@/stores/toasts";

export function useImport(): () => void {
  const { t } = useI18n();
  const router = useRouter();
  const toasts = useToasts();

  async function take(file: File): Promise<void> {
    let body: unknown;
    try {
      body = JSON.parse(await file.text());
    } catch {
      toasts.info(t("side.notAnExport", { name: file.name }));
      return;
    }
    const { foreignExport } = await import("@/chat/foreign-export");
    const bodies: unknown[] = foreignExport(body) ?? [body];
    let last: Conversation | null = null;
    let done = 0;
    try {
      for (const one of bodies) {
        last = await importConversation(one);
        done++;
      }
      if (!last) toasts.info(t("side.notAnExport", { name: file.name }));
    } catch (error) {
      toasts.fail(error);
    }
    if (!last) return;
    toasts.info(t("side.imported", { n: done }, done));
    await Promise.all([renewConversations(), router.push({ name: "chat", params: { id: last.id } })]);
  }

  return () => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = ".json,application/json";
    input.onchange = () => input.files?.[0] && void take(input.files[0]);
    input.click();
  };
}
