/** What an error says to a person. */
import { Problem } from "@/api/client";
import { i18n } from "./index";
import { sayError } from "./said";

export function textOf(error: unknown): string {
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : String(error);
  if (error.status === 0) return i18n.global.t("problem.unreachable");
  return sayError(error.code, detailOf(error));
}

/** Of a form the server names the field as the request has it; the words behind that say enough. */
function detailOf({ message, errors }: Problem): string {
  const field = errors[0]?.location?.replace(/^body\./, "");
  const named = field && message.startsWith(`${field}: `) ? `${field}: ` : /^body\.[\w.]+: |/.exec(message)![0];
  return message.slice(named.length);
}
