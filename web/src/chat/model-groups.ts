/** The models of a list of choices: favourites first, then by who answers. */
import type { Model } from "@/api/types";

export interface ModelGroup {
  /** "favourites", or a vendor's name; empty: the built-in model. */
  name: string;
  models: Model[];
}

export const favourites = "favourites";

/** A model that is hidden is there where it is in use, or where somebody looks for it. */
export function groupModels(list: Model[], starred: string[], current: string, query = ""): ModelGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (m: Model) => `${m.name} ${m.id} ${m.model} ${m.vendor}`.toLowerCase();
  const shown = list.filter((m) =>
    words.length ? words.every((word) => text(m).includes(word)) : !m.hidden || m.id === current,
  );
  const groups = new Map<string, Model[]>();
  const sorted = [...shown].sort((a, b) => Number(a.disabled) - Number(b.disabled));
  const liked = sorted.filter((m) => starred.includes(m.id) && !m.disabled);
  if (liked.length) groups.set(favourites, liked);
  for (const model of sorted) {
    if (liked.includes(model)) continue;
    groups.set(model.vendor, [...(groups.get(model.vendor) ?? []), model]);
  }
  return [...groups].map(([name, models]) => ({ name, models }));
}
