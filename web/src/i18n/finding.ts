/** What the guard found about a call, in the page's language. */
import { i18n } from "./index";
import { sayFinding } from "./said";

interface Found {
  id?: string | null;
  message?: string | null;
}

/**
 * Of a setting that asks the page has words of its own; of a rule, another language says what it is about.
 * `exact`: the server's own words, which say more than those.
 */
export function findingText({ id, message }: Found): { said: string; exact: string } {
  const { t, te } = i18n.global;
  const setting = /^guard\.setting\.(.+)$/.exec(id ?? "")?.[1]?.replace(".", "_") ?? "";
  if (te(`finding.${setting}`)) return { said: t(`finding.${setting}`), exact: "" };
  return { said: sayFinding(id ?? ""), exact: message || id || "" };
}
