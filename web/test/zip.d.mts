export function zip(files: Record<string, string>): Uint8Array<ArrayBuffer>;
