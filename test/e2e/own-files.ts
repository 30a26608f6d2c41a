import { crc32, deflateSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";

// Files for the stories of the app, and what brings them to it.

export type Given = { name: string; type: string; bytes: Buffer };

const chunk = (name: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** A picture of one colour, which the number says: no two are the same. */
export function png(number: number, name = `picture-${number}.png`, side = 16): Given {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const colour = [number & 255, (number >> 8) & 255, 120];
  const row = Buffer.from([0, ...Array.from({ length: side }, () => colour).flat()]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const parts = [chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))];
  return { name, type: "image/png", bytes: Buffer.concat([signature, ...parts]) };
}

export const text = (name: string, words: string, type = "text/plain"): Given => ({
  ...{ name, type, bytes: Buffer.from(words) },
});

/** A PDF with a page. */
export const pdf = (name: string): Given =>
  text(
    name,
    [
      "%PDF-1.4",
      "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
      "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj",
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj",
      "trailer<</Root 1 0 R>>",
      "",
    ].join("\n"),
    "application/pdf",
  );

const sent = (files: readonly Given[]) =>
  JSON.stringify(files.map(({ name, type, bytes }) => ({ name, type, bytes: bytes.toString("base64") })));

/** Runs a script with the element, in the browser, whose types are not known here. */
export const runWith = (target: Locator, script: string): Promise<unknown> =>
  target.evaluate(new Function("element", script) as (element: unknown) => unknown);

const withFiles = (files: readonly Given[], dispatch: string) => `
  const data = new DataTransfer();
  for (const { name, type, bytes } of ${sent(files)}) {
    const content = Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0));
    data.items.add(new File([content], name, { type }));
  }
  const { x, y } = element.getBoundingClientRect();
  const how = { bubbles: true, cancelable: true, composed: true };
  ${dispatch}`;

const DROP = `
  const place = { ...how, dataTransfer: data, clientX: x + 5, clientY: y + 5 };
  for (const kind of ["dragenter", "dragover", "drop"]) element.dispatchEvent(new DragEvent(kind, place));`;

export const drop = (target: Locator, files: readonly Given[]) => runWith(target, withFiles(files, DROP));

const PASTE = 'element.dispatchEvent(new ClipboardEvent("paste", { ...how, clipboardData: data }));';

export const paste = (target: Locator, files: readonly Given[]) => runWith(target, withFiles(files, PASTE));

/** Answers the chooser that a button opens. */
export async function choose(page: Page, button: Locator, files: readonly Given[]): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button.click()]);
  await chooser.setFiles(files.map(({ name, type, bytes }) => ({ name, mimeType: type, buffer: bytes })));
}

/** Whether the browser has drawn a picture. */
export const isDrawn = (picture: Locator): Promise<boolean> =>
  picture.evaluate(
    (one: { complete: boolean; naturalWidth: number }) => one.complete && one.naturalWidth > 0,
  );
