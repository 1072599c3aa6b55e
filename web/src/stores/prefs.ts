/** What a person chose for this browser. Kept in local storage, shared by its tabs. */
import { defineStore } from "pinia";
import { reactive, toRefs, watch } from "vue";

export type Theme = "system" | "light" | "dark";
export type Locale = "en" | "zh";

interface Prefs {
  theme: Theme;
  /** Empty: the browser's language. */
  locale: Locale | "";
  sidebar: boolean;
  /** Pixels, as are the side panel's. */
  sidebarWidth: number;
  panel: "" | "files" | "run" | "details";
  panelWidth: number;
  notify: boolean;
  /** Send with Ctrl+Enter alone, so that Enter makes a new line. */
  ctrlEnter: boolean;
  /** Files are opened as what they look like, where there is more to see than text. */
  preview: boolean;
  /** Project that a new chat starts in. */
  project: string;
  /** Ids of models that stand first where one is chosen. */
  favourites: string[];
  /** Projects whose chats the sidebar does not show. */
  folded: string[];
  /** The sidebar shows every project, not only a few. */
  allProjects: boolean;
}

const key = "nanoclaw.prefs";
/** Widths of the panels until a person changes them. */
export const widths = { sidebar: 276, panel: 392 };

const defaults: Prefs = {
  theme: "system",
  locale: "",
  sidebar: true,
  sidebarWidth: widths.sidebar,
  panel: "",
  panelWidth: widths.panel,
  notify: false,
  ctrlEnter: false,
  preview: false,
  project: "",
  favourites: [],
  folded: [],
  allProjects: false,
};

function read(): Partial<Prefs> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Prefs>;
  } catch {
    // Closed or broken storage: the defaults do.
    return {};
  }
}

/** The language before anything is loaded: the chosen one, else the browser's. */
export function startLocale(): Locale {
  const chosen = read().locale;
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const usePrefs = defineStore("prefs", () => {
  const prefs = reactive<Prefs>({ ...defaults, ...read() });
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function paint(): void {
    const isDark = prefs.theme === "dark" || (prefs.theme === "system" && dark.matches);
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    document.querySelector('meta[name="theme-color"]')?.setAttribute("content", isDark ? "#161618" : "#fbfbfa");
  }

  watch(
    prefs,
    () => {
      try {
        localStorage.setItem(key, JSON.stringify(prefs));
      } catch {
        // Full or closed storage loses the choice, not the page.
      }
    },
    { deep: true },
  );
  watch(() => prefs.theme, paint, { immediate: true });
  dark.addEventListener("change", paint);
  addEventListener("storage", (event) => {
    if (event.key !== key) return;
    const { theme, locale } = read();
    Object.assign(prefs, { theme: theme ?? prefs.theme, locale: locale ?? prefs.locale });
  });

  return toRefs(prefs);
});
