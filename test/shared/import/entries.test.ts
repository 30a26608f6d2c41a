import { Buffer } from "node:buffer";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { zipWriter } from "../../../src/features/export/zip.ts";
import { readZipEntries } from "../../../src/shared/import/entries.ts";

// The files of a zip by its directory.

const file = (path: string, text = "") => ({ path, modified: new Date(0), bytes: Buffer.from(text) });

/** A file whose first bytes are zeros that are not kept in memory. */
const after = (zeros: number, bytes: Buffer): Blob =>
  ({
    size: zeros + bytes.length,
    slice: (start = 0, end = zeros + bytes.length) =>
      new Blob([bytes.subarray(Math.max(0, start - zeros), Math.max(0, end - zeros))]),
  }) as Blob;

const textOf = async (stream: ReadableStream<Uint8Array>) => new Response(stream).text();

test("more than 65,535 of them are found, each with its bytes, as often as they are read", async () => {
  const writing = zipWriter();
  const pieces: Uint8Array[] = [];
  for (let n = 0; n < 66_000; n++)
    pieces.push(...(await writing.add(file(`a/${n}.md`, `text ${n} `.repeat(n % 3)))));
  const whole = Buffer.concat([...pieces, ...writing.end()]);
  // Another program finds them as well, because the end of the zip has its longer form.
  expect(Object.keys(unzipSync(whole))).toHaveLength(66_000);
  const entries = await readZipEntries(new Blob([whole]));
  expect(entries.size).toBe(66_000);
  const empty = entries.get("a/65997.md");
  expect([empty?.size, await textOf(empty?.stream() as never)]).toEqual([0, ""]);
  for (let times = 0; times < 2; times++)
    expect(await textOf(entries.get("a/65998.md")?.stream() as never)).toBe("text 65998 ");
});

test("those beyond 4 GB are found where they are", async () => {
  const start = 0x1_0000_0010;
  const writing = zipWriter(start);
  const pieces = [
    ...(await writing.add(file("a.md", "hello"))),
    ...(await writing.add(file("ä/b.md", "far ".repeat(99)))),
  ];
  const entries = await readZipEntries(after(start, Buffer.concat([...pieces, ...writing.end()])));
  expect([...entries.keys()]).toEqual(["a.md", "ä/b.md"]);
  expect(await textOf(entries.get("ä/b.md")?.stream() as never)).toBe("far ".repeat(99));
});

test("a file that is not a zip, or whose directory is missing, is refused", async () => {
  const whole = Buffer.concat([...zipWriter().end()]);
  await expect(readZipEntries(new Blob([]))).rejects.toThrow("incomplete or damaged");
  await expect(readZipEntries(new Blob(["PK and nothing else"]))).rejects.toThrow("incomplete or damaged");
  whole.writeUInt32LE(1000, 16);
  await expect(readZipEntries(new Blob([whole]))).rejects.toThrow("incomplete or damaged");
  whole.writeUInt32LE(0xffffffff, 16);
  await expect(readZipEntries(new Blob([Buffer.concat([Buffer.alloc(40), whole])]))).rejects.toThrow();
});

test("one that says that it unpacks to what no notes do is refused, and one that says too little gives no more than that", async () => {
  const name = Buffer.from("a.md");
  /** A zip of one file that is not there, of so many bytes. */
  const saying = (size: number) => {
    const [directory, end] = [Buffer.alloc(46), Buffer.alloc(22)];
    directory.writeUInt32LE(0x02014b50, 0);
    directory.writeUInt32LE(size, 24);
    directory.writeUInt16LE(name.length, 28);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt32LE(46 + name.length, 12);
    return Buffer.concat([directory, name, end]);
  };
  await expect(readZipEntries(new Blob([saying(257 * 1024 * 1024)]))).rejects.toThrow(
    "would unpack to 257 MiB",
  );
  const writing = zipWriter();
  const whole = Buffer.concat([...(await writing.add(file("a.md", "0".repeat(99_999)))), ...writing.end()]);
  whole.writeUInt32LE(10, whole.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
  const lie = (await readZipEntries(new Blob([whole]))).get("a.md");
  await expect(textOf(lie?.stream() as never)).rejects.toThrow("larger than its zip says");
});
