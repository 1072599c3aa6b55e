/** What an error says to a person: by its code in the page's language, with the server's own words where they say more. */
import { Problem } from "@/api/client";
import { i18n } from "./index";

export function textOf(error: unknown): string {
  const { t, te, locale } = i18n.global;
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : String(error);
  const known = error.code !== "" && te(`problem.${error.code}`);
  if (!known) return error.message;
  const said = t(`problem.${error.code}`);
  // The server speaks English, and often names what is wrong. In another language the code is said first.
  if (error.status === 0) return said;
  // Of a form it names the field as the request has it; the words behind that say enough.
  const detail = error.message.replace(/^body\.[\w.]+: /, "");
  return locale.value === "en" ? detail : t("problem.with", { said, detail });
}
