/** Text that is typed and not saved: nobody leaves it, by a link, by Back or by a reload, without a question. */
import { onUnmounted } from "vue";
import { useI18n } from "vue-i18n";
import { useRouter } from "vue-router";
import { useConfirm } from "@/stores/confirm";

/** Gives what asks before the text is left in another way; true: it may be left. */
export function useUnsaved(dirty: () => boolean): () => Promise<boolean> {
  const { t } = useI18n();
  const confirm = useConfirm();
  const mayLeave = async () =>
    !dirty() ||
    (await confirm.ask({ title: t("file.discardTitle"), hint: t("app.unsavedHint"), action: t("file.discard") }));
  const stop = useRouter().beforeEach((to, from) => to.path === from.path || mayLeave());
  const beforeUnload = (event: BeforeUnloadEvent) => {
    if (dirty()) event.preventDefault();
  };
  addEventListener("beforeunload", beforeUnload);
  onUnmounted(() => {
    stop();
    removeEventListener("beforeunload", beforeUnload);
  });
  return mayLeave;
}
