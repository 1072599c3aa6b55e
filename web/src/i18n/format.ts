/** Numbers, times and sizes as people read them, in the page's language. */
import { i18n, intlTag } from "./index";

/** 0.4 s, 12 s, 3 min 5 s. */
export function duration(milliseconds: number): string {
  const t = i18n.global.t;
  if (milliseconds < 1000) return t("unit.ms", { n: Math.max(1, Math.round(milliseconds)) });
  const seconds = milliseconds / 1000;
  if (seconds < 10) return t("unit.s", { n: seconds.toFixed(1) });
  if (seconds < 60) return t("unit.s", { n: Math.round(seconds) });
  const minutes = Math.floor(seconds / 60);
  return t("unit.min", { m: minutes, s: Math.round(seconds % 60) });
}

export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return `${i === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[i]}`;
}

/** 950, 1.2k, 3.4M. */
export function count(n: number): string {
  if (n < 1000) return String(n);
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)}k`;
  return `${(n / 1_000_000).toFixed(1)}M`;
}

export function number(n: number): string {
  return new Intl.NumberFormat(intlTag()).format(n);
}

export function dateTime(iso: string): string {
  if (!iso) return "";
  return formatter("dateTime", { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making a format costs as much as a hundred uses of it. */
function formatter(name: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${intlTag()} ${name}`;
  const known = formatters.get(key) ?? new Intl.DateTimeFormat(intlTag(), style);
  formatters.set(key, known);
  return known;
}

/** Hour, minute and second. */
export function clockTime(iso: string): string {
  return formatter("clock", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }).format(
    new Date(iso),
  );
}

/** "in 24 hours", "in 5 minutes". */
export function fromNow(iso: string): string {
  const minutes = Math.round((Date.parse(iso) - Date.now()) / 60_000);
  const style = new Intl.RelativeTimeFormat(intlTag(), { numeric: "always" });
  if (Math.abs(minutes) < 90) return style.format(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 48 ? style.format(hours, "hour") : style.format(Math.round(hours / 24), "day");
}

/** The time alone today, else the date. */
export function shortTime(iso: string): string {
  if (!iso) return "";
  const date = new Date(iso);
  const today = new Date().toDateString() === date.toDateString();
  if (today) return formatter("time", { hour: "2-digit", minute: "2-digit" }).format(date);
  if (date.getFullYear() === new Date().getFullYear())
    return formatter("day", { day: "numeric", month: "short" }).format(date);
  return formatter("date", { day: "numeric", month: "short", year: "numeric" }).format(date);
}

export type Age = "today" | "yesterday" | "week" | "month" | "older";

/** Which group of the sidebar a time belongs to. */
export function ageOf(iso: string, now = new Date()): Age {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const time = Date.parse(iso);
  const day = 86_400_000;
  if (time >= midnight) return "today";
  if (time >= midnight - day) return "yesterday";
  if (time >= midnight - 7 * day) return "week";
  if (time >= midnight - 30 * day) return "month";
  return "older";
}

/** An amount in the currency of config.yml's prices, which have no name. */
export function money(n: number): string {
  return new Intl.NumberFormat(intlTag(), { minimumFractionDigits: 2, maximumFractionDigits: n < 1 ? 4 : 2 }).format(n);
}

/** A day, a week by its first day, or a month, out of the first day in UTC. */
export function periodOf(day: string, period: "daily" | "weekly" | "monthly"): string {
  const style: Intl.DateTimeFormatOptions =
    period === "monthly" ? { month: "short", year: "numeric" } : { day: "numeric", month: "short" };
  return formatter(`period ${period}`, { ...style, timeZone: "UTC" }).format(new Date(day));
}

/** The name of a day of the week; 0 is Sunday. */
export function weekday(day: number): string {
  // The first of January 2023 was a Sunday.
  return formatter("weekday", { weekday: "long", timeZone: "UTC" }).format(new Date(Date.UTC(2023, 0, 1 + day)));
}
