/** Takes an exported conversation out of a file. */
import { useI18n } from "vue-i18n";
import { useRouter } from "vue-router";
import { importConversation } from "@/api/conversations";
import { renewConversations } from "@/api/queries";
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
    try {
      const conversation = await importConversation(body);
      toasts.info(t("side.imported"));
      await Promise.all([renewConversations(), router.push({ name: "chat", params: { id: conversation.id } })]);
    } catch (error) {
      toasts.fail(error);
    }
  }

  return () => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = ".json,application/json";
    input.onchange = () => input.files?.[0] && void take(input.files[0]);
    input.click();
  };
}
