/** Cron expressions as people choose them: a pattern and a time of day. What fits no pattern is written by hand. */
export type Pattern = "hourly" | "daily" | "workdays" | "weekly" | "monthly" | "own";

export interface Timing {
  pattern: Pattern;
  /** HH:MM; of hourly ones only the minute counts. */
  time: string;
  /** 0 is Sunday. */
  weekday: number;
  /** 1 to 31. */
  day: number;
  /** The expression itself, where the pattern is `own`. */
  cron: string;
}

const two = (n: number) => String(n).padStart(2, "0");

export function cronOf({ pattern, time, weekday, day, cron }: Timing): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  switch (pattern) {
    case "hourly":
      return `${minute} * * * *`;
    case "daily":
      return `${minute} ${hour} * * *`;
    case "workdays":
      return `${minute} ${hour} * * 1-5`;
    case "weekly":
      return `${minute} ${hour} * * ${weekday}`;
    case "monthly":
      return `${minute} ${hour} ${day} * *`;
    case "own":
      return cron.trim();
  }
}

/** What an expression means; `own` where no pattern fits. */
export function timingOf(cron: string): Timing {
  const timing: Timing = { pattern: "own", time: "09:00", weekday: 1, day: 1, cron };
  const [minute = "", hour = "", day = "", month = "", weekday = "", ...more] = cron.trim().split(/\s+/);
  const within = (text: string, most: number) => /^\d{1,2}$/.test(text) && Number(text) <= most;
  if (more.length || month !== "*" || !within(minute, 59)) return timing;
  if (hour === "*" && day === "*" && weekday === "*")
    return { ...timing, pattern: "hourly", time: `00:${two(Number(minute))}` };
  if (!within(hour, 23)) return timing;
  const time = `${two(Number(hour))}:${two(Number(minute))}`;
  if (day === "*" && weekday === "*") return { ...timing, pattern: "daily", time };
  if (day === "*" && weekday === "1-5") return { ...timing, pattern: "workdays", time };
  if (day === "*" && within(weekday, 6)) return { ...timing, pattern: "weekly", time, weekday: Number(weekday) };
  if (weekday === "*" && within(day, 31) && Number(day) > 0)
    return { ...timing, pattern: "monthly", time, day: Number(day) };
  return timing;
}
