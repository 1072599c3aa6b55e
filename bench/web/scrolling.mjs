// Frames while a person scrolls through a long conversation with the wheel.
import { lastAnswer } from "./opening.mjs";

const share = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];

/** The times between frames while the wheel turns, in ms, sorted. */
async function frames({ page, server, made, cdp }, delta, turns) {
  await page.goto(`${server.url}/c/${made.rich}`);
  await lastAnswer(page);
  await page.waitForTimeout(1500);
  await page.evaluate(() => {
    window.frames_ = [];
    let before = 0;
    const frame = (now) => {
      if (before) window.frames_.push(now - before);
      before = now;
      window.counting = requestAnimationFrame(frame);
    };
    window.counting = requestAnimationFrame(frame);
  });
  const { x, y, width, height } = await page.getByRole("log").boundingBox();
  for (let i = 0; i < turns; i++)
    await cdp.send("Input.dispatchMouseEvent", {
      type: "mouseWheel",
      x: x + width / 2,
      y: y + height / 2,
      deltaX: 0,
      deltaY: delta,
    });
  return page.evaluate(() => {
    cancelAnimationFrame(window.counting);
    return window.frames_.sort((a, b) => a - b);
  });
}

const figure = (name, goal, delta, turns, p) => ({
  name,
  goal,
  measure: async (t) => share(await frames(t, delta, turns), p),
});

export const figures = [
  figure("wheel of −300 × 60, p95 of frames, ms", "≤ 17", -300, 60, 0.95),
  figure("wheel of −300 × 60, longest frame, ms", "–", -300, 60, 1),
  figure("wheel of −3,000 × 40, p95 of frames, ms", "–", -3000, 40, 0.95),
];
