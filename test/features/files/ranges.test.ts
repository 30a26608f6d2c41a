import { beforeEach, expect, test } from "vitest";
import { type Client, person } from "../../kit/client.ts";
import { bytesOf, upload } from "../../kit/stored-files.ts";

// Requests for parts of a file, as browsers make them for videos and PDF (RFC 9110 section 14).

const TEXT = "0123456789".repeat(10);
let ada: Client;
let path: string;
let etag: string;

beforeEach(async () => {
  ada = await person();
  const file = await upload(ada, bytesOf(TEXT), { name: "hundred.txt" });
  path = `/api/files/${file.id}`;
  etag = `"${file.sha256}"`;
});

const ask = (headers: Record<string, string>, method = "GET") => ada.fetch(path, { method, headers });

/** Range, and the status, Content-Range and bytes of the answer. */
const SINGLE: [range: string, status: number, contentRange: string | null, bytes: string][] = [
  ["bytes=0-9", 206, "bytes 0-9/100", TEXT.slice(0, 10)],
  ["bytes=0-0", 206, "bytes 0-0/100", "0"],
  ["bytes=95-", 206, "bytes 95-99/100", "56789"],
  ["bytes=0-", 206, "bytes 0-99/100", TEXT],
  ["bytes=-5", 206, "bytes 95-99/100", "56789"],
  ["bytes=-1000", 206, "bytes 0-99/100", TEXT],
  ["bytes=90-1000", 206, "bytes 90-99/100", TEXT.slice(90)],
  ["BYTES=0-1", 206, "bytes 0-1/100", "01"],
  ["bytes= 0-1 , ", 206, "bytes 0-1/100", "01"],
  ["bytes=0-4,5-9", 206, "bytes 0-9/100", TEXT.slice(0, 10)],
  ["bytes=0-50,40-60", 206, "bytes 0-60/100", TEXT.slice(0, 61)],
  ["bytes=0-1,200-300", 206, "bytes 0-1/100", "01"],
  // What cannot be read is ignored, as RFC 9110 section 14.2 says.
  ["bytes=9-0", 200, null, TEXT],
  ["bytes=a-b", 200, null, TEXT],
  ["bytes=-", 200, null, TEXT],
  ["lines=0-9", 200, null, TEXT],
  ["bytes=1-2,x", 200, null, TEXT],
  [`bytes=${Array.from({ length: 40 }, (_, n) => `${2 * n}-${2 * n}`).join()}`, 200, null, TEXT],
];

test("one part, or what cannot be read, is answered as the table says", async () => {
  for (const [range, status, contentRange, bytes] of SINGLE) {
    const answer = await ask({ Range: range });
    expect([answer.status, answer.headers.get("Content-Range")], range).toEqual([status, contentRange]);
    expect(answer.headers.get("Content-Length"), range).toBe(String(bytes.length));
    expect(answer.headers.get("Accept-Ranges")).toBe("bytes");
    expect(answer.headers.get("ETag")).toBe(etag);
    expect(await answer.text(), range).toBe(bytes);
  }
});

test("parts that the file does not have are a 416 with its length", async () => {
  for (const range of ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=500-600,700-"]) {
    const { status, headers } = await ask({ Range: range });
    expect([status, headers.get("Content-Range"), headers.get("Error-Code")], range).toEqual([
      ...[416, "bytes */100", "range_not_satisfiable"],
    ]);
  }
});

test("several parts come in one body, each with its place", async () => {
  const answer = await ask({ Range: "bytes=90-99, 0-4" });
  expect(answer.status).toBe(206);
  const [, boundary = ""] =
    /^multipart\/byteranges; boundary=(\S+)$/.exec(answer.headers.get("Content-Type") ?? "") ?? [];
  const text = await answer.text();
  expect(answer.headers.get("Content-Length")).toBe(String(text.length));
  const part = (range: string, bytes: string) =>
    `\r\n--${boundary}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ${range}/100\r\n\r\n${bytes}`;
  expect(text).toBe(`${part("90-99", TEXT.slice(90))}${part("0-4", "01234")}\r\n--${boundary}--\r\n`);
});

test("If-Range of this file is answered with the part, and any other with the whole", async () => {
  expect((await ask({ Range: "bytes=0-9", "If-Range": etag })).status).toBe(206);
  for (const tag of ['"other"', "W/x", "Wed, 25 Nov 2026 12:00:00 GMT"]) {
    const answer = await ask({ Range: "bytes=0-9", "If-Range": tag });
    expect([answer.status, await answer.text()], tag).toEqual([200, TEXT]);
    // Even if the part does not exist.
    expect((await ask({ Range: "bytes=500-", "If-Range": tag })).status, tag).toBe(200);
  }
});

test("a precondition comes before the parts, and HEAD has no body", async () => {
  expect((await ask({ Range: "bytes=0-9", "If-None-Match": etag })).status).toBe(304);
  expect((await ask({ "If-None-Match": `W/${etag}` })).status).toBe(304);
  expect((await ask({ "If-None-Match": '"other"' })).status).toBe(200);
  const head = await ask({}, "HEAD");
  expect([head.status, head.headers.get("Content-Length"), await head.text()]).toEqual([200, "100", ""]);
});
