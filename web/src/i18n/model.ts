import type { Model } from "@/api/types";
import { i18n } from "./index";

/** Why a model cannot be used; "" where it can. */
export function whyDisabled(model: Model): string {
  const { t } = i18n.global;
  if (!model.disabled) return "";
  return model.missing_env ? t("settings.missingEnv", { name: model.missing_env }) : t("settings.noKey");
}
