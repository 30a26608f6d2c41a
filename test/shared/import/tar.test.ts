import { expect, test } from "vitest";
import { readTarEntries } from "../../../src/shared/import/tar.ts";
import { tarOf } from "../../kit/tar.ts";

// The files of a tar.

const long = `${"folder/".repeat(40)}ä.md`;
const files = {
  "a.md": "hello",
  "resources/b.bin": new Uint8Array(700_000).fill(7),
  [long]: "long",
  "empty.md": "",
  "../../etc/passwd": "out",
};

test("files in a tar are found by their paths, however long, and can be read more than once", async () => {
  const entries = await readTarEntries(tarOf(files));
  expect([...entries.keys()]).toEqual(["a.md", "resources/b.bin", long, "empty.md"]);
  const read = async (path: string) =>
    new Uint8Array(await new Response(entries.get(path)?.stream()).arrayBuffer());
  for (let times = 0; times < 2; times++) {
    expect(await read("resources/b.bin")).toEqual(files["resources/b.bin"]);
    expect(new TextDecoder().decode(await read(long))).toBe("long");
  }
});

test("a tar that is cut off, and a file that is not a tar, are refused", async () => {
  const whole = tarOf(files);
  for (const end of [0, 300, 600, 1024, 400_000, whole.size - 1024])
    await expect(readTarEntries(whole.slice(0, end))).rejects.toThrow("incomplete or damaged");
  await expect(readTarEntries(new Blob(["no tar at all".repeat(100)]))).rejects.toThrow(
    "incomplete or damaged",
  );
});
