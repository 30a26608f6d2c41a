import { expect, test } from "vitest";
import { sanitizeFileName } from "../../../src/features/files/disposition.ts";
import { fileKindOf } from "../../../src/features/files/sniff.ts";
import { person } from "../../kit/client.ts";
import { bytesOf, png, sendFile, upload } from "../../kit/stored-files.ts";

// What people upload is never a page of the service, whatever its bytes, its name and its type say.

const SCRIPT = "<script>alert(1)</script>";

/** A name, the first bytes, and the type that they tell. */
const FILES: [name: string, bytes: Uint8Array<ArrayBuffer>, type: string][] = [
  ["a.png", bytesOf(`<html>${SCRIPT}`), "text/html"],
  ["a.txt", bytesOf(`<!DOCTYPE html>${SCRIPT}`), "text/html"],
  ["a.html", bytesOf("plain"), "text/html"],
  ["a.jpg", bytesOf(`<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`), "image/svg+xml"],
  ["a.svg", bytesOf(`<?xml version="1.0"?><!-- x --><svg>${SCRIPT}</svg>`), "image/svg+xml"],
  ["a.xml", bytesOf('<?xml version="1.0"?><a/>'), "text/xml"],
  ["a.pdf", bytesOf("%PDF-1.7 /JS (app.alert(1))"), "application/pdf"],
  ["a.html", png(SCRIPT), "image/png"],
  ["a.js", bytesOf("GIF89a=1;alert(1)"), "image/gif"],
  [
    "a.docx",
    new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ],
  ["a.zip", new Uint8Array([0x50, 0x4b, 3, 4, 0, 1]), "application/zip"],
  ["a.png", new Uint8Array([0x4d, 0x5a, 0x90, 0]), "application/octet-stream"],
  ["a.mp4", bytesOf("\0\0\0\x18ftypisom"), "video/mp4"],
  ["a.heic", bytesOf("\0\0\0\x18ftypheic"), "image/heic"],
  ["a.md", bytesOf("# Title"), "text/markdown"],
  ["a.csv", bytesOf("a,b\n1,2"), "text/csv"],
  ["a", bytesOf("héllo"), "text/plain"],
  ["a", new Uint8Array(0), "text/plain"],
  ["a", new Uint8Array([0xff, 0xfe, 0x41, 0]), "application/octet-stream"],
];

test("the bytes tell the type, and only pictures, PDF, sound and video are ever shown", async () => {
  const ada = await person();
  for (const [name, bytes, type] of FILES) {
    const { id } = await upload(ada, bytes, { name, headers: { "Content-Type": "image/png" } });
    const { headers } = await ada.fetch(`/api/files/${id}`);
    const isShown = ["image/png", "image/gif", "application/pdf", "video/mp4"].includes(type);
    expect(headers.get("Content-Disposition"), `${name} ${type}`).toMatch(
      isShown ? /^inline/ : /^attachment/,
    );
    expect(headers.get("Content-Type")?.split(";")[0]).toBe(type);
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; frame-ancestors 'self'/);
    expect(policy.includes("sandbox")).toBe(type !== "application/pdf");
    expect(policy).not.toContain("script-src");
  }
  expect([fileKindOf("image/svg+xml"), fileKindOf("text/html"), fileKindOf("application/json")]).toEqual([
    "other",
    "other",
    "text",
  ]);
});

/** What is sent, and what it is stored as. */
const NAMES: [sent: string, stored: string][] = [
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\ada\\plan.pdf", "plan.pdf"],
  ["a\r\nSet-Cookie: x=1.png", "aSet-Cookie: x=1.png"],
  ["invoice\u202egpj.exe", "invoicegpj.exe"],
  ["\u2066a\u2069.txt\u200f", "a.txt"],
  ["..", "Untitled"],
  ["", "Untitled"],
  ["/", "Untitled"],
  ["  a   b  ", "a b"],
  ['"quoted"; filename=x.html', '"quoted"; filename=x.html'],
  ["\ud800.png", "\ufffd.png"],
  ["日本語.pdf", "日本語.pdf"],
];

test("a name has no paths, no control characters and nothing that turns the direction of writing", async () => {
  for (const [sent, stored] of NAMES) expect(sanitizeFileName(sent), JSON.stringify(sent)).toBe(stored);
  const long = sanitizeFileName(`${"x".repeat(300)}.pdf`);
  expect([long.length, long.endsWith(".pdf")]).toEqual([255, true]);
  const ada = await person();
  for (const [sent, stored] of NAMES.filter(([name]) => name.isWellFormed())) {
    const { id, name } = await upload(ada, png(), { name: sent });
    expect(name).toBe(stored);
    const header = (await ada.fetch(`/api/files/${id}`)).headers.get("Content-Disposition") ?? "";
    expect(header).toMatch(
      /^inline; filename=(?:[\w.-]+|"(?:[^"\\\r\n]|\\.)*")(?:; filename\*=UTF-8''[\w%.~!#$&+^`|-]+)?$/,
    );
  }
});

test("a malformed header gives no name, and a body of an unknown length is refused", async () => {
  const ada = await person();
  for (const header of [
    "x",
    ";;;",
    "attachment; filename",
    'attachment; filename="',
    "attachment; filename*=x''%ff%",
  ])
    expect((await sendFile(ada, png(), { headers: { "Content-Disposition": header } })).status).toBe(201);
  const tooLong = await sendFile(ada, png(), { headers: { "Content-Length": "100000001" } });
  expect(tooLong.status).toBe(413);
});
