/** Reads single files out of a ZIP archive, without the rest of it: exports of other chats are large. */

export interface Entry {
  name: string;
  text(): Promise<string>;
}

const endSign = 0x06054b50;
const entrySign = 0x02014b50;
const wide = 0xffffffff;

/** The files of an archive; null: it is none. */
export async function unzip(file: Blob): Promise<Entry[] | null> {
  const tail = await viewOf(file, Math.max(0, file.size - 65_557), file.size);
  let at = tail.byteLength - 22;
  while (at >= 0 && tail.getUint32(at, true) !== endSign) at--;
  if (at < 0) return null;
  const place = (await wideDirectory(file, tail, at)) ?? {
    size: tail.getUint32(at + 12, true),
    start: tail.getUint32(at + 16, true),
  };
  const directory = await viewOf(file, place.start, place.start + place.size);
  return [...entries(file, directory)];
}

async function viewOf(file: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

/** Where the directory of an archive of more than 4 GiB is (ZIP64). */
async function wideDirectory(file: Blob, tail: DataView, end: number) {
  if (tail.getUint32(end + 16, true) !== wide || end < 20) return null;
  const at = Number(tail.getBigUint64(end - 20 + 8, true));
  const record = await viewOf(file, at, at + 56);
  return { size: Number(record.getBigUint64(40, true)), start: Number(record.getBigUint64(48, true)) };
}

function* entries(file: Blob, directory: DataView): Generator<Entry> {
  const decoder = new TextDecoder();
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === entrySign;) {
    const method = directory.getUint16(at + 10, true);
    const [name, extra, comment] = [28, 30, 32].map((offset) => directory.getUint16(at + offset, true)) as [
      number,
      number,
      number,
    ];
    const found = sizesOf(directory, at, at + 46 + name, extra);
    yield {
      name: decoder.decode(new Uint8Array(directory.buffer, at + 46, name)),
      text: () => read(file, method, found.start, found.size),
    };
    at += 46 + name + extra + comment;
  }
}

/** The packed size of an entry and where it begins; what is too large for its field stands behind the name. */
function sizesOf(directory: DataView, at: number, extra: number, length: number): { size: number; start: number } {
  let [size, start] = [directory.getUint32(at + 20, true), directory.getUint32(at + 42, true)];
  for (let i = extra; i + 4 <= extra + length; i += 4 + directory.getUint16(i + 2, true)) {
    if (directory.getUint16(i, true) !== 1) continue;
    let next = i + 4 + (directory.getUint32(at + 24, true) === wide ? 8 : 0);
    if (size === wide) {
      size = Number(directory.getBigUint64(next, true));
      next += 8;
    }
    if (start === wide) start = Number(directory.getBigUint64(next, true));
  }
  return { size, start };
}

async function read(file: Blob, method: number, start: number, size: number): Promise<string> {
  const head = await viewOf(file, start, start + 30);
  const from = start + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(from, from + size);
  if (method === 0) return packed.text();
  if (method !== 8) throw new Error(`the file is packed with method ${method}`);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}
