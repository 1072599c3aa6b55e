/** What the server says of itself, in the page's language; loaded with the pages that show it. */
import { computed, shallowRef, watch, type ComputedRef } from "vue";
import { i18n } from "../index";
import en from "./en";

type Tables = typeof en;
const loaders: Record<string, () => Promise<{ default: Tables }>> = { zh: () => import("./zh") };

/** The tables of the language in use; English until another one is there. */
const tables = shallowRef<Tables>(en);

/** Says it by its key; a text that has no translation stays as the server wrote it. */
export function useServerText(): ComputedRef<(kind: keyof Tables, key: string, english: string) => string> {
  watch(
    i18n.global.locale,
    async (locale) => {
      const next = (await loaders[locale]?.())?.default ?? en;
      if (locale === i18n.global.locale.value) tables.value = next;
    },
    { immediate: true },
  );
  return computed(() => {
    const all = tables.value;
    return (kind, key, english) => all[kind][key] || english;
  });
}
