/** What the palette does beside opening things: the page, the open chat. */
import {
  FolderPlus,
  Import,
  Keyboard,
  Languages,
  Moon,
  PanelLeft,
  PanelRight,
  Search,
  Sun,
  SunMoon,
} from "@lucide/vue";
import { computed, type Component } from "vue";
import { useI18n } from "vue-i18n";
import { useRoute } from "vue-router";
import { useAccess } from "@/api/sharing";
import { useLive } from "@/stores/live";
import { usePrefs } from "@/stores/prefs";
import { useUi } from "@/stores/ui";
import { useConversationActions } from "./conversation-actions";
import { useImport } from "./import-chat";
import { mod, send } from "./shortcuts";

export interface PaletteCommand {
  id: string;
  title: string;
  icon: Component;
  keys?: string;
  run(): void;
}

export function usePaletteCommands() {
  const { t } = useI18n();
  const route = useRoute();
  const prefs = usePrefs();
  const ui = useUi();
  const live = useLive();
  const { readOnly } = useAccess();
  const actions = useConversationActions();
  const importChats = useImport();
  const conversation = computed(() =>
    route.name === "chat" ? live.open(String(route.params.id)).state.value.conversation : null,
  );

  const ofPage = (): PaletteCommand[] => [
    ...(["light", "dark", "system"] as const)
      .filter((theme) => theme !== prefs.theme)
      .map((theme) => ({
        id: `theme-${theme}`,
        title: `${t("settings.theme")}: ${t(`settings.${theme}`)}`,
        icon: { light: Sun, dark: Moon, system: SunMoon }[theme],
        run: () => (prefs.theme = theme),
      })),
    ...(["en", "zh"] as const).map((locale) => ({
      id: `language-${locale}`,
      title: `${t("settings.language")}: ${locale === "en" ? "English" : "中文"}`,
      icon: Languages,
      run: () => (prefs.locale = locale),
    })),
    {
      id: "sidebar",
      title: prefs.sidebar ? t("side.hide") : t("side.show"),
      icon: PanelLeft,
      keys: `${mod}+B`,
      run: () => (prefs.sidebar = !prefs.sidebar),
    },
    { id: "keys", title: t("slash.help"), icon: Keyboard, keys: "?", run: () => (ui.shortcuts = true) },
    ...(readOnly.value
      ? []
      : [
          { id: "project", title: t("side.newProject"), icon: FolderPlus, run: () => (ui.projectForm = true) },
          { id: "import", title: t("side.import"), icon: Import, run: importChats },
        ]),
  ];

  const ofChat = (): PaletteCommand[] => {
    if (!conversation.value) return [];
    return [
      { id: "find", title: t("chat.find"), icon: Search, keys: `${mod}+F`, run: () => send("find") },
      { id: "panel", title: t("palette.panel"), icon: PanelRight, keys: `${mod}+J`, run: () => send("panel") },
      ...actions
        .itemsFor(conversation.value, () => send("rename"))
        .map((item) => ({
          id: `chat-${item.label}`,
          title: `${item.label} (${t("palette.thisChat")})`,
          icon: item.icon!,
          run: () => (item.href ? location.assign(item.href) : item.run?.()),
        })),
    ];
  };

  return computed(() => [...ofChat(), ...ofPage()]);
}
