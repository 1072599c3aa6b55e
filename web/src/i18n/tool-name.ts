/** A tool as people call it: by the page's words for it, else by its own name in plain letters. */
import { computed, type ComputedRef } from "vue";
import { plainName } from "@/chat/call-text";
import { useServerText } from "./server";

export function useToolName(): ComputedRef<(tool: string) => string> {
  const say = useServerText();
  return computed(() => (tool) => say.value("toolNames", tool, plainName(tool)));
}
