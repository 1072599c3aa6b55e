import { useI18n } from "vue-i18n";
import { useToasts } from "@/stores/toasts";

/** Copies text; says so when the browser does not allow it. */
export function useCopy(): (text: string) => Promise<boolean> {
  const toasts = useToasts();
  const { t } = useI18n();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      toasts.info(t("app.copyFailed"));
      return false;
    }
  };
}
