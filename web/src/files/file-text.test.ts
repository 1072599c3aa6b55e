import fc from "fast-check";
import { expect, it } from "vitest";
import { fileOf, textIn } from "./file-text";

const bytesOf = (text: string) => new TextEncoder().encode(text).buffer;

it("writes every text as it was read", () => {
  const piece = fc.oneof(fc.constantFrom("\r\n", "\n", "\r", "\ufeff"), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("");
      const read = textIn(bytesOf(text))!;
      expect(fileOf(read.text, read.shape)).toBe(text);
    }),
  );
});

it("gives new lines the line ends of the file", () => {
  const { text, shape } = textIn(bytesOf("\ufeffone\r\ntwo\r\n"))!;
  expect(text).toBe("one\ntwo\n");
  expect(fileOf(`${text}three\n`, shape)).toBe("\ufeffone\r\ntwo\r\nthree\r\n");
});

it("takes no file that is not UTF-8", () => {
  expect(textIn(new Uint8Array([0x63, 0x61, 0x66, 0xe9]).buffer)).toBeNull();
});
