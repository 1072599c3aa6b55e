/** What the guard found about a call, in the page's language. */
import { i18n } from "./index";

interface Found {
  id?: string | null;
  message?: string | null;
}

/**
 * The server's rules speak English. Of a setting that asks, and in another language of what a rule is about, the page
 * has words of its own, by the beginning of the rule's id. `exact`: the server's own words, which say more than those.
 */
export function findingText({ id, message }: Found): { said: string; exact: string } {
  const { t, te, locale } = i18n.global;
  const exact = message || id || "";
  const setting = id?.startsWith("guard.setting.") ?? false;
  if (!setting && locale.value === "en") return { said: "", exact };
  const parts = (id ?? "").split(".");
  for (let n = parts.length; n > 0; n--) {
    const family = parts.slice(0, n).join("_");
    if (te(`finding.${family}`)) return { said: t(`finding.${family}`), exact: setting ? "" : exact };
  }
  return { said: "", exact };
}
