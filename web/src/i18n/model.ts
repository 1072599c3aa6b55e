import type { Model } from "@/api/types";
import { money } from "./format";
import { i18n } from "./index";

/** Why a model cannot be used; "" where it can. */
export function whyDisabled(model: Model): string {
  const { t } = i18n.global;
  if (!model.disabled) return "";
  return model.missing_env ? t("settings.missingEnv", { name: model.missing_env }) : t("settings.noKey");
}

/** What a model costs, per million tokens; "" where no price is known. */
export function priceOf({ price }: Model): string {
  if (!price.input && !price.output) return "";
  return i18n.global.t("models.price", { input: money(price.input), output: money(price.output) });
}
