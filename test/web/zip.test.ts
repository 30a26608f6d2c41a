import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import type { FoundEntry } from "../../src/shared/import/item.ts";
import { openZip } from "../../src/shared/import/zip.ts";
import { safePath } from "../../src/shared/import/zip-names.ts";

// What the app reads of a zip.

const zipOf = (files: Record<string, Uint8Array>, level: 0 | 6 = 6) =>
  new File([zipSync(files, { level }) as Uint8Array<ArrayBuffer>], "vault.zip");

const whereAndWhy = (found: FoundEntry[]) =>
  found.map((one) =>
    "why" in one ? [one.where, one.why] : "leftOut" in one ? [one.where, one.leftOut] : [one.where],
  );

describe("a zip", () => {
  test("gives every text as it is, in its folders, packed or stored", async () => {
    const name = fc.constantFrom("a", "b ü", "ノート");
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `${names.join("/")}.md`);
    const files = fc.dictionary(path, fc.string({ maxLength: 2000 }), { minKeys: 1, maxKeys: 6 });
    await fc.assert(
      fc.asyncProperty(files, fc.constantFrom(0 as const, 6 as const), async (texts, level) => {
        const packed = Object.fromEntries(
          Object.entries(texts).map(([path, text]) => [path, strToU8(`---\ntitle: t\n---\n${text}`)]),
        );
        const { found } = await openZip(zipOf(packed, level), () => {});
        const read = found.map((one) =>
          "content" in one ? [one.path.replace(/^vault\//, ""), one.content.text] : one,
        );
        expect(read.sort()).toEqual(Object.entries(texts).sort());
      }),
      { numRuns: 50 },
    );
  });

  test("never leads out of itself", () => {
    const part = fc.constantFrom("..", ".", "", "a", "C:", "\\", "b.md");
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const path = safePath(parts.join("/"));
        if (path === undefined) return;
        expect(path.split("/")).not.toContain("..");
        expect(path).not.toMatch(/^\/|\\|^[a-z]:/i);
      }),
    );
  });

  test("is unpacked no further than a document may be, and no more in all than allowed", async () => {
    const bomb = { "bomb.md": new Uint8Array(8 * 1024 * 1024), "small.md": strToU8("# Small") };
    let bytes = 0;
    const count = (some: number) => {
      bytes += some;
    };
    const { found } = await openZip(zipOf(bomb), count);
    expect(whereAndWhy(found)).toEqual([
      ["vault/bomb.md", "is larger than 1 MiB (8.0 MiB), the limit for a document"],
      ["vault/small.md"],
    ]);
    expect(bytes).toBeLessThan(100);
    const enough = () => {
      throw new Error("enough");
    };
    await expect(openZip(zipOf({ "a.md": strToU8("x") }), enough)).rejects.toThrow("enough");
  });

  test("that lies about its sizes is stopped as well", async () => {
    const bytes = zipSync({ "bomb.md": new Uint8Array(16 * 1024 * 1024) });
    // The size in the local header: four bytes at 22.
    new DataView(bytes.buffer).setUint32(22, 10, true);
    let unpacked = 0;
    const { found } = await openZip(new File([bytes as Uint8Array<ArrayBuffer>], "lie.zip"), (some) => {
      unpacked += some;
    });
    expect(whereAndWhy(found)[0]?.[1]).toContain("is larger than 1 MiB");
    expect(unpacked).toBeLessThan(8 * 1024 * 1024);
  });

  test("that is cut off anywhere is refused as a whole", async () => {
    const whole = zipSync({ "a.md": strToU8("# A".repeat(50)), "b.md": strToU8("# B".repeat(50)) });
    for (let length = 0; length < whole.length; length++) {
      const cut = new File([whole.slice(0, length)], "cut.zip");
      await expect(openZip(cut, () => {})).rejects.toThrow(/is incomplete or damaged|is not a zip file/);
    }
    await expect(openZip(new File(["no zip"], "a.zip"), () => {})).rejects.toThrow("is not a zip file");
  });
});
