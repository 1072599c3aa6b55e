/** The kind of weather that a condition names, in English or Chinese. The first that fits counts. */
export type Sky = "thunder" | "snow" | "rain" | "fog" | "clear" | "partly" | "cloudy";

const kinds: [Sky, RegExp][] = [
  ["thunder", /thunder|雷/],
  ["fog", /fog|雾/],
  ["snow", /snow|雪/],
  ["rain", /rain|drizzle|shower|雨/],
  ["partly", /mainly|partly|多云/],
  ["clear", /clear|晴/],
  ["cloudy", /overcast|阴/],
];

export const skyOf = (condition: string) => kinds.find(([, words]) => words.test(condition))?.[0] ?? null;
