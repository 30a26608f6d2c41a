import { strToU8, zipSync } from "fflate";
import { HOSTILE_PDF } from "./hostile-pdf.ts";
import { joined } from "./pdf.ts";

// Files that are damaged, or made to keep whoever reads them busy for ever, and what becomes of each.

export type Hostile = {
  name: string;
  type: string;
  bytes: () => Uint8Array;
  state: "none" | "done" | "cut" | "failed";
  /** a word that it is found by all the same */
  says?: string;
};

const PDF = "application/pdf";
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const EPUB = "application/epub+zip";
const MB = 1024 * 1024;

const text = (value: string) => strToU8(value);
const zeros = (bytes: number) => new Uint8Array(bytes);

const word = (body: string, before = "") =>
  `<?xml version="1.0"?>${before}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
const paragraph = (words: string) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`;
const docx = (xml: string | Uint8Array) =>
  zipSync({ "word/document.xml": typeof xml === "string" ? text(xml) : xml });

const laughs = `<!DOCTYPE l [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, at) => {
  const before = at === 0 ? "a" : `b${at - 1}`;
  return `<!ENTITY b${at} "&${before};&${before};&${before};">`;
}).join("")}]>`;

const patched = (bytes: Uint8Array, change: (view: DataView, bytes: Uint8Array) => void) => {
  const copy = bytes.slice();
  change(new DataView(copy.buffer), copy);
  return copy;
};
/** Where the directory of an archive begins. */
const directory = (view: DataView) => view.getUint32(view.byteLength - 6, true);

function manyEntries(count: number): Uint8Array {
  const archive = zipSync({ "word/document.xml": text(word(paragraph("one"))) });
  return patched(archive, (view) => view.setUint16(view.byteLength - 12, count, true));
}

const book = (chapters: Record<string, string>, spine: string) =>
  zipSync({
    "META-INF/container.xml": text('<container><rootfile full-path="OPS/book.opf"/></container>'),
    "OPS/book.opf": text(
      `<package>${Object.keys(chapters)
        .map((name) => `<item id="${name}" href="${name}"/>`)
        .join("")}<spine>${spine}</spine></package>`,
    ),
    ...Object.fromEntries(
      Object.entries(chapters).map(([name, html]) => [`OPS/${name}`, text(html)] as const),
    ),
  });

const sheet = (cells: number, shared: string) =>
  zipSync({
    "xl/workbook.xml": text("<workbook/>"),
    "xl/sharedStrings.xml": text(`<sst><si><t>${shared}</t></si></sst>`),
    "xl/worksheets/sheet1.xml": text(
      `<sheetData>${'<row><c t="s"><v>0</v></c></row>'.repeat(cells)}</sheetData>`,
    ),
  });

const nestedMail = (depth: number) =>
  Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\n\n--b${at}\n`,
  ).join("");

export const HOSTILE: Hostile[] = [
  ...HOSTILE_PDF,
  // archives
  {
    name: "bomb.docx",
    type: DOCX,
    bytes: () =>
      docx(joined([text(word(paragraph("ahead")).replace("</w:body></w:document>", "")), zeros(60 * MB)])),
    state: "cut",
    says: "ahead",
  },
  {
    name: "one entry, many names.epub",
    type: EPUB,
    bytes: () =>
      book(
        Object.fromEntries(
          Array.from({ length: 200 }, (_, at) => [`c${at}`, `<p>${"x".repeat(MB / 2)}</p>`]),
        ),
        Array.from({ length: 200 }, (_, at) => `<itemref idref="c${at}"/>`).join(""),
      ),
    state: "cut",
  },
  {
    name: "one chapter a thousand times.epub",
    type: EPUB,
    bytes: () => book({ one: "<p>repeated</p>" }, '<itemref idref="one"/>'.repeat(1000)),
    state: "done",
    says: "repeated",
  },
  {
    name: "chapter from outside.epub",
    type: EPUB,
    bytes: () =>
      book(
        { "../../../etc/passwd": "", "%zz": "" },
        '<itemref idref="../../../etc/passwd"/><itemref idref="%zz"/>',
      ),
    state: "done",
  },
  {
    name: "no chapters.epub",
    type: EPUB,
    bytes: () => zipSync({ "META-INF/container.xml": text("<container/>") }),
    state: "failed",
  },
  { name: "65,535 entries.docx", type: DOCX, bytes: () => manyEntries(65_535), state: "failed" },
  {
    name: "directory elsewhere.docx",
    type: DOCX,
    bytes: () =>
      patched(docx(word(paragraph("one"))), (view) => view.setUint32(view.byteLength - 6, 0xfffffff0, true)),
    state: "failed",
  },
  {
    name: "truncated.docx",
    type: DOCX,
    bytes: () => docx(word(paragraph("one"))).slice(0, -30),
    state: "failed",
  },
  {
    name: "locked.docx",
    type: DOCX,
    bytes: () =>
      patched(docx(word(paragraph("one"))), (view) => view.setUint16(directory(view) + 8, 1, true)),
    state: "failed",
  },
  {
    name: "strange packing.docx",
    type: DOCX,
    bytes: () =>
      patched(docx(word(paragraph("one"))), (view) => view.setUint16(directory(view) + 10, 99, true)),
    state: "failed",
  },
  {
    name: "damaged packing.docx",
    type: DOCX,
    bytes: () =>
      patched(docx(word(paragraph("one").repeat(500))), (view, bytes) =>
        bytes.fill(0xff, 60, directory(view) - 10),
      ),
    state: "cut",
  },
  {
    name: "a billion laughs.docx",
    type: DOCX,
    bytes: () => docx(word(paragraph("funny &b29;"), laughs)),
    state: "done",
    says: "funny",
  },
  {
    name: "entity from outside.docx",
    type: DOCX,
    bytes: () =>
      docx(word(paragraph("outside &x;"), '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
    state: "done",
    says: "outside",
  },
  {
    name: "a million brackets.docx",
    type: DOCX,
    bytes: () => docx(`${word(paragraph("bracketed"))}${"<".repeat(MB)}`),
    state: "done",
    says: "bracketed",
  },
  {
    name: "declarations.docx",
    type: DOCX,
    bytes: () => docx(`${word(paragraph("declared"))}${"<!a>".repeat(MB)}`),
    state: "done",
    says: "declared",
  },
  {
    name: "deep elements.docx",
    type: DOCX,
    bytes: () => docx(word(`${paragraph("sunken")}${"<w:p>".repeat(200_000)}`)),
    state: "done",
    says: "sunken",
  },
  {
    name: "one string, many cells.xlsx",
    type: XLSX,
    bytes: () => sheet(100_000, "y".repeat(30_000)),
    state: "cut",
  },
  { name: "empty.docx", type: DOCX, bytes: () => zipSync({}), state: "none" },
  {
    name: "archive of pictures.zip",
    type: "application/zip",
    bytes: () => zipSync({ "a.png": zeros(100) }),
    state: "none",
  },
  // what they say they are not
  {
    name: "letter.pdf",
    type: PDF,
    bytes: () => docx(word(paragraph("disguised"))),
    state: "done",
    says: "disguised",
  },
  {
    name: "picture.pdf",
    type: PDF,
    bytes: () => joined([Uint8Array.of(0x89, 0x50, 0x4e, 0x47), zeros(1000)]),
    state: "failed",
  },
  {
    name: "old.doc",
    type: "application/msword",
    bytes: () => joined([Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0), zeros(1000)]),
    state: "failed",
  },
  { name: "program.txt", type: "text/plain", bytes: () => joined([text("MZ"), zeros(5000)]), state: "none" },
  { name: "song.mp3", type: "audio/mpeg", bytes: () => text("ID3"), state: "none" },
  // texts
  {
    name: "brackets.html",
    type: "text/html",
    bytes: () => text(`<p>angular</p>${"<".repeat(2 * MB)}`),
    state: "cut",
    says: "angular",
  },
  {
    name: "comments.html",
    type: "text/html",
    bytes: () => text(`<p>remarked</p>${"<!--".repeat(MB / 2)}`),
    state: "done",
    says: "remarked",
  },
  {
    name: "scripts.html",
    type: "text/html",
    bytes: () => text(`<p>scripted</p>${"<script>".repeat(MB / 4)}`),
    state: "done",
    says: "scripted",
  },
  {
    name: "ampersands.html",
    type: "text/html",
    bytes: () => text(`<p>anded</p>${"&".repeat(2 * MB)}`),
    state: "cut",
    says: "anded",
  },
  {
    name: "elements.html",
    type: "text/html",
    bytes: () => text(`<b>bold</b>${"<b><i>".repeat(MB / 4)}`),
    state: "done",
    says: "bold",
  },
  {
    name: "deep.eml",
    type: "message/rfc822",
    bytes: () => text(`Subject: deepest\n${nestedMail(1000)}`),
    state: "done",
    says: "deepest",
  },
  {
    name: "parts.eml",
    type: "message/rfc822",
    bytes: () =>
      text(`Subject: parted\nContent-Type: multipart/mixed; boundary=b\n\n${"--b\n".repeat(MB / 2)}`),
    state: "done",
    says: "parted",
  },
  {
    name: "words.eml",
    type: "message/rfc822",
    bytes: () => text(`Subject: encoded ${"=?utf-8?q?".repeat(100_000)}\n\nbody`),
    state: "cut",
    says: "encoded",
  },
  {
    name: "folded.eml",
    type: "message/rfc822",
    bytes: () => text(`Subject: folded\n${" \n".repeat(500_000)}\nbody`),
    state: "done",
    says: "folded",
  },
  {
    name: "latin.txt",
    type: "text/plain",
    bytes: () => Uint8Array.from("Straße Müller", (sign) => sign.charCodeAt(0)),
    state: "done",
    says: "Müller",
  },
  { name: "one word.txt", type: "text/plain", bytes: () => text("w".repeat(4 * MB)), state: "cut" },
  {
    name: "lines.txt",
    type: "text/plain",
    bytes: () => text(`empty${"\n".repeat(3 * MB)}`),
    state: "done",
    says: "empty",
  },
  { name: "nothing.txt", type: "text/plain", bytes: () => zeros(0), state: "done" },
];
