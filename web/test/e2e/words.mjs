// The page's own words, for tests that use a page in either language.
import { readFileSync } from "node:fs";

const load = async (locale) => {
  const source = readFileSync(new URL(`../../src/i18n/${locale}.ts`, import.meta.url), "utf8");
  const script = source.replace(/^import type.*$/m, "").replace("zh: Messages", "zh");
  return (await import(`data:text/javascript,${encodeURIComponent(script)}`)).default;
};
const languages = await Promise.all(["en", "zh"].map(load));

const escaped = (text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, ".+");

/** Matches the texts of keys in both languages, whole, with anything for what changes in them. */
export const says = (...keys) => {
  const texts = keys.flatMap((key) => languages.map((all) => key.split(".").reduce((node, part) => node[part], all)));
  return new RegExp(
    `^(${texts
      .flatMap((text) => text.split(" | "))
      .map(escaped)
      .join("|")})$`,
  );
};
