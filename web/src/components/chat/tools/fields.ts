/** Reads values whose shape is the tool's own. */

export type Arguments = Record<string, unknown>;

export const text = (value: unknown) => (typeof value === "string" ? value : "");
export const record = (value: unknown) => (value !== null && typeof value === "object" ? value : {}) as Arguments;
export const list = (value: unknown) => (Array.isArray(value) ? value : []) as Arguments[];
