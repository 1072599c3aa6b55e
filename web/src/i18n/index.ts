/** Languages. Only the one in use is loaded. */
import { createI18n } from "vue-i18n";
import type en from "./en";
import { startLocale, type Locale } from "@/stores/prefs";
import { useWords } from "./said";

export type Messages = typeof en;

const loaders: Record<Locale, () => Promise<{ default: object }>> = {
  en: () => import("./en"),
  zh: () => import("./zh"),
};

/** What the server says; it speaks English itself. */
const said = { en: async () => null, zh: async () => (await import("./server/zh-said")).default };

export const i18n = createI18n({ legacy: false, locale: startLocale(), fallbackLocale: "en", missingWarn: false });

const loaded = new Set<Locale>();

/** Switches the page's language, its `lang` attribute included. */
export async function setLocale(locale: Locale): Promise<void> {
  const words = said[locale]();
  if (!loaded.has(locale)) {
    const { default: messages } = await loaders[locale]();
    i18n.global.setLocaleMessage(locale, messages as never);
    loaded.add(locale);
  }
  useWords(await words);
  i18n.global.locale.value = locale;
  document.documentElement.lang = locale === "zh" ? "zh-CN" : "en";
}

/** The BCP 47 tag for Intl. */
export function intlTag(): string {
  return i18n.global.locale.value === "zh" ? "zh-CN" : "en-GB";
}
