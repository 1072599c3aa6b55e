// What the Node peers share: the protocol of the driver (see ../peer/peer.go) and the tool.
import { createInterface } from "node:readline";
import { z } from "zod";

export const prompt = "Calculate three things.";
export const description = "Calculates one operation on two whole numbers.";
export const schema = z.object({ expression: z.string().describe("what to calculate, for example 2*3") });
export const modelURL = process.env.MODEL_URL;

let toolCalls = 0;

/** The tool. */
export function calculate({ expression }) {
  const [, a, operation, b] = /^(\d+)([-+*])(\d+)$/.exec(expression);
  toolCalls++;
  const [x, y] = [Number(a), Number(b)];
  return String(operation === "+" ? x + y : operation === "-" ? x - y : x * y);
}

/** Does the driver's jobs with run until standard input ends. */
export async function serve(run) {
  for await (const line of createInterface({ input: process.stdin })) {
    const job = JSON.parse(line);
    const report = { texts: [], tool_calls: 0 };
    let next = 0;
    const worker = async () => {
      while (next++ < job.runs) report.texts.push(await run());
    };
    toolCalls = 0;
    try {
      await Promise.all(Array.from({ length: job.at_once }, worker));
    } catch (error) {
      next = job.runs;
      report.error = String(error?.stack ?? error);
    }
    report.tool_calls = toolCalls;
    process.stdout.write(JSON.stringify(report) + "\n");
  }
}
