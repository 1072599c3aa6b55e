/** What an error says to a person. */
import { Problem } from "@/api/client";
import { i18n } from "./index";
import { sayError } from "./said";

export function textOf(error: unknown): string {
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : String(error);
  if (error.status === 0) return i18n.global.t("problem.unreachable");
  // Of a form it names the field as the request has it; the words behind that say enough.
  return sayError(error.code, error.message.replace(/^body\.[\w.]+: /, ""));
}
