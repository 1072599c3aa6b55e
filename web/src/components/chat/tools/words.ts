/** A call in words: "Reading app.py" while it runs, "Read app.py" when it is over. */
import { useI18n } from "vue-i18n";
import { aboutOf, argumentsOf, plainName } from "@/chat/call-text";
import type { ToolCall } from "@/api/types";
import { lookOf } from "./registry";

export interface CallWords {
  name: string;
  about: string;
  /** The page has words of its own for the tool. */
  known: boolean;
}

export function useCallWords() {
  const { t } = useI18n();
  return (call: ToolCall, form: "todo" | "doing" | "done"): CallWords => {
    const look = lookOf(call.function.name);
    const args = argumentsOf(call);
    const verb = typeof look.verb === "string" ? look.verb : look.verb(args);
    const about = Array.isArray(args.tasks)
      ? t("call.agents", { n: args.tasks.length }, args.tasks.length)
      : aboutOf(call, look.about);
    return {
      name: verb ? t(`tool.${form}.${verb}`) : plainName(call.function.name) || "…",
      about,
      known: verb !== "",
    };
  };
}
