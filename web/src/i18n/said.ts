/** What the server says, in the page's language where that has words for it; the server's own words are English. */
import { shallowRef } from "vue";
import type said from "./server/zh-said";

type Said = typeof said;

/** Of the language in use; null where that is the server's own. */
const words = shallowRef<Said | null>(null);

export function useWords(next: Said | null): void {
  words.value = next;
}

/** The server's words are made to go on behind a colon: here a word begins a sentence, a name stays as it is. */
export const sentence = (text: string) => text.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase());

/** An error: its sentence, else what its code means and the server's words, which name what it is about. */
export function sayError(code: string, detail: string): string {
  const own = say(detail);
  if (own !== detail) return own;
  const meaning = words.value?.codes[code];
  if (!meaning) return sentence(detail);
  return detail ? `${meaning.replace(/。$/, "")}（${detail}）` : meaning;
}

/** What a code means, in few words; "" where the page has none for it. */
export function sayCode(code: string): string {
  return words.value?.codes[code]?.replace(/[，；。].*$/, "") ?? "";
}

/** What a rule of the guard is about, by the beginning of its id; "" where the page has no words for it. */
export function sayFinding(id: string): string {
  const parts = id.split(".");
  for (let n = parts.length; n > 0; n--) {
    const meaning = words.value?.findings[parts.slice(0, n).join("_")];
    if (meaning) return meaning;
  }
  return "";
}

/** A sentence of the server, with what changes in it; that of a model may begin with its id. */
export function say(text: string): string {
  const all = words.value?.sentences;
  if (!all || !text) return text;
  const [, model, rest] = /^model (\S+): (.+)$/s.exec(text) ?? [];
  if (rest && say(rest) !== rest) return `${model}：${say(rest)}`;
  for (const [english, own] of Object.entries(all)) {
    const given = matchOf(english).exec(text)?.slice(1);
    if (given) return own.replace(/\{\}/g, () => given.shift() ?? "");
  }
  return text;
}

const matches = new Map<string, RegExp>();

/** Finds a sentence by its form, and what stands for each {}. */
export function matchOf(form: string): RegExp {
  const known =
    matches.get(form) ?? new RegExp(`^${form.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\}/g, "(.+?)")}$`, "s");
  matches.set(form, known);
  return known;
}
