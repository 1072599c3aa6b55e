import { useQuery } from "@tanstack/vue-query";
import {
  BookMarked,
  BookOpen,
  Bot,
  CalendarClock,
  ChartColumn,
  Cpu,
  FileCog,
  Palette,
  Plug,
  ScrollText,
  ShieldCheck,
  UserRound,
  Users,
  Webhook,
  Wrench,
} from "@lucide/vue";
import { computed } from "vue";
import { getConfig, me } from "@/api/system";

const icons = {
  appearance: Palette,
  account: UserRound,
  users: Users,
  models: Cpu,
  tools: Wrench,
  approvals: ShieldCheck,
  agents: Bot,
  mcp: Plug,
  prompts: BookMarked,
  skills: BookOpen,
  schedules: CalendarClock,
  hooks: Webhook,
  usage: ChartColumn,
  audit: ScrollText,
  config: FileCog,
};

export type SectionId = keyof typeof icons;

/** The settings that a person has: with accounts only an administrator sees the server's own. */
export function useSections() {
  const user = useQuery({ queryKey: ["me"], queryFn: me });
  const multi = computed(() => user.data.value?.auth_mode === "multi");
  const admin = computed(() => user.data.value?.role === "admin");
  const shown = (id: SectionId) => {
    if (id === "account") return multi.value;
    if (id === "users") return multi.value && admin.value;
    return admin.value || !multi.value || !["mcp", "config"].includes(id);
  };
  const config = useQuery({ queryKey: ["config"], queryFn: getConfig, enabled: admin, retry: false, staleTime: 0 });
  /** What is wrong in a section, for its name to say so. */
  const wrong = (id: SectionId) => id === "config" && !!config.data.value?.body.error;
  return computed(() =>
    (Object.keys(icons) as SectionId[]).filter(shown).map((id) => ({ id, icon: icons[id], wrong: wrong(id) })),
  );
}
