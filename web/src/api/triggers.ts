import { pathOf, request } from "./client";
import type { Firing, Hook, HookSettings, Page, Schedule, ScheduleSettings } from "./types";

/** What starts runs without a person: `schedules` at times, `hooks` for requests of other programs. */
export type TriggerKind = "schedules" | "hooks";

export const listSchedules = () => request<Page<Schedule>>("/schedules", { query: { limit: 200 } });
export const listHooks = () => request<Page<Hook>>("/hooks", { query: { limit: 200 } });

/** Makes a schedule, or changes the one with an id. */
export function saveSchedule(json: ScheduleSettings, id = "") {
  return request<Schedule>(pathOf("schedules", ...(id ? [id] : [])), { method: id ? "PATCH" : "POST", json });
}

/** Makes a hook, or changes the one with an id; the answer to a new one has its secret. */
export function saveHook(json: HookSettings, id = "") {
  return request<Hook>(pathOf("hooks", ...(id ? [id] : [])), { method: id ? "PATCH" : "POST", json });
}

export const runSchedule = (id: string) => request<Firing>(pathOf("schedules", id, "run"), { method: "POST" });

export const deleteTrigger = (kind: TriggerKind, id: string) => request<void>(pathOf(kind, id), { method: "DELETE" });

/** What came of a trigger, newest first. */
export const listFirings = (kind: TriggerKind, id: string) =>
  request<Page<Firing>>(pathOf(kind, id, "firings"), { query: { limit: 20 } });
