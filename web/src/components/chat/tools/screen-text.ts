/** What a terminal would show of an output: without colour codes, lines that were drawn anew only once. */

const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

export function screenText(output: string): string {
  return output
    .replace(escapes, "")
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").split("\r").at(-1)!)
    .join("\n")
    .replace(/\n+$/, "");
}
