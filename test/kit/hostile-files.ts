import { strToU8 as text, zipSync, zlibSync } from "fflate";
import { joined, pdfOf, pdfPage } from "./pdf.ts";

// Files that are damaged, or made to keep a reader busy for ever, with the expected result of each.

const OFFICE = "application/vnd.openxmlformats-officedocument";
const TYPES: Record<string, string> = {
  pdf: "application/pdf",
  docx: `${OFFICE}.wordprocessingml.document`,
  xlsx: `${OFFICE}.spreadsheetml.sheet`,
  epub: "application/epub+zip",
  zip: "application/zip",
  doc: "application/msword",
  txt: "text/plain",
  mp3: "audio/mpeg",
  html: "text/html",
  eml: "message/rfc822",
};
const MB = 1024 * 1024;

const zeros = (bytes: number) => new Uint8Array(bytes);

const stream = (dict: string, bytes: Uint8Array) =>
  joined([text(`<< ${dict} /Length ${bytes.length} >>\nstream\n`), bytes, text("\nendstream")]);
const shows = (words: string) => `BT /F 12 Tf 50 700 Td (${words}) Tj ET`;

/** Forms that each draw the next one twice: the last one is drawn 2 to the power of their number times. */
const doubling = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const draws = at + 1 < count ? "/X Do /X Do" : shows("again");
    const resources = `<< /Font << /F << /Subtype /Type1 /BaseFont /Helvetica >> >> /XObject << /X ${at + 11} 0 R >> >>`;
    return stream(`/Type /XObject /Subtype /Form /Resources ${resources}`, text(draws));
  });

/** A page that can be read, and one behind it. */
const behind = (words: string, content: Uint8Array, filter: string) =>
  pdfOf([pdfPage(words), { content, filter }]);

/** A page whose streams state another length. */
const ofLength = (words: string, length: string) =>
  text(
    new TextDecoder("latin1").decode(pdfOf([pdfPage(words)])).replace(/\/Length \d+/g, `/Length ${length}`),
  );

/** Pages with these children. */
const childrenOf = (kids: string) =>
  text(
    `%PDF-1.4\n1 0 obj << /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [${kids}] >> endobj\ntrailer << /Root 1 0 R >>`,
  );

/** A page, and what an update of the file adds. */
const updated = (words: string, update: string) => joined([pdfOf([pdfPage(words)]), text(update)]);

const packed = (bytes: Uint8Array) => zlibSync(bytes, { level: 9 });

/** A page that draws a form. */
const drawing = (draws: string, forms: Uint8Array[]) =>
  pdfOf([{ content: text(draws), resources: "/XObject << /X 10 0 R >>" }], forms);

/** Bytes packed by LZW into codes of 9 bits that say the same byte for ever. */
const lzwBomb = () => new Uint8Array(MB).map((_, at) => (at * 37) & 0xff);

const word = (body: string, before = "") =>
  `<?xml version="1.0"?>${before}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
const paragraph = (words: string) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`;
const docx = (xml: string | Uint8Array) =>
  zipSync({ "word/document.xml": typeof xml === "string" ? text(xml) : xml });
const written = (words: string) => docx(word(paragraph(words)));

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
  return patched(written("one"), (view) => view.setUint16(view.byteLength - 12, count, true));
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

type State = "none" | "done" | "cut" | "failed";

/** Files by what reading their text results in, and a word by which each is found nevertheless. */
const FILES: Record<State, Record<string, [bytes: () => Uint8Array, says?: string]>> = {
  // All of their text is read.
  done: {
    "truncated.pdf": [() => pdfOf([pdfPage("begun")]).slice(0, -40), "begun"],
    "loop of tables.pdf": [
      () => updated("tabled", "\nxref\n0 0\ntrailer << /Prev 5 /Root 1 0 R >>\nstartxref\n5\n%%EOF"),
      "tabled",
    ],
    "tree that bites its tail.pdf": [() => childrenOf("2 0 R 2 0 R 1 0 R")],
    "forms that double.pdf": [() => drawing(`${shows("doubled")} /X Do`, doubling(40)), "doubled"],
    "form that draws itself.pdf": [
      () =>
        drawing(`${shows("mirrored")} /X Do`, [
          stream("/Subtype /Form /Resources << /XObject << /X 10 0 R >> >>", text("/X Do")),
        ]),
      "mirrored",
    ],
    "bomb.pdf": [() => behind("before", packed(zeros(60 * MB)), "/FlateDecode"), "before"],
    "bomb in a bomb.pdf": [
      () => behind("outer", packed(packed(zeros(60 * MB))), "[/FlateDecode /FlateDecode]"),
      "outer",
    ],
    "LZW.pdf": [() => behind("older", lzwBomb(), "/LZWDecode"), "older"],
    "five filters.pdf": [() => behind("filtered", text("00"), `[${"/AHx ".repeat(5)}]`), "filtered"],
    "wrong length.pdf": [() => ofLength("lengthy", "99999999"), "lengthy"],
    "length of itself.pdf": [() => ofLength("selfish", "4 0 R"), "selfish"],
    "deep arrays.pdf": [() => pdfOf([{ content: text(`${shows("deep")} ${"[".repeat(200_000)}`) }]), "deep"],
    "deep dictionaries.pdf": [() => pdfOf([pdfPage("nested")], [text("<< /A ".repeat(200_000))]), "nested"],
    "states.pdf": [
      () => pdfOf([{ content: text(`${"q ".repeat(300_000)} ${shows("stacked")}`) }]),
      "stacked",
    ],
    "map of everything.pdf": [
      () =>
        pdfOf(
          [{ content: text(shows("mapped")), font: "/ToUnicode 10 0 R" }],
          [stream("", text(`beginbfrange ${"<0000> <ffff> <0041> ".repeat(2000)} endbfrange`))],
        ),
    ],
    "widths of everything.pdf": [
      () =>
        pdfOf([
          {
            content: text(shows("wide")),
            font: "/Subtype /Type0 /DescendantFonts [<< /W [0 2147483647 500] >>]",
          },
        ]),
    ],
    "predicted.pdf": [
      () =>
        behind(
          "foreseen",
          packed(zeros(MB)),
          "/FlateDecode /DecodeParms << /Predictor 12 /Columns 999999999 /Colors 99 >>",
        ),
      "foreseen",
    ],
    "one chapter a thousand times.epub": [
      () => book({ one: "<p>repeated</p>" }, '<itemref idref="one"/>'.repeat(1000)),
      "repeated",
    ],
    "chapter from outside.epub": [
      () =>
        book(
          { "../../../etc/passwd": "", "%zz": "" },
          '<itemref idref="../../../etc/passwd"/><itemref idref="%zz"/>',
        ),
    ],
    "a billion laughs.docx": [() => docx(word(paragraph("funny &b29;"), laughs)), "funny"],
    "entity from outside.docx": [
      () => docx(word(paragraph("outside &x;"), '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
      "outside",
    ],
    "a million brackets.docx": [() => docx(`${word(paragraph("bracketed"))}${"<".repeat(MB)}`), "bracketed"],
    "declarations.docx": [() => docx(`${word(paragraph("declared"))}${"<!a>".repeat(MB)}`), "declared"],
    "deep elements.docx": [() => docx(word(`${paragraph("sunken")}${"<w:p>".repeat(200_000)}`)), "sunken"],
    "letter.pdf": [() => written("disguised"), "disguised"],
    "comments.html": [() => text(`<p>remarked</p>${"<!--".repeat(MB / 2)}`), "remarked"],
    "scripts.html": [() => text(`<p>scripted</p>${"<script>".repeat(MB / 4)}`), "scripted"],
    "elements.html": [() => text(`<b>bold</b>${"<b><i>".repeat(MB / 4)}`), "bold"],
    "deep.eml": [() => text(`Subject: deepest\n${nestedMail(1000)}`), "deepest"],
    "parts.eml": [
      () => text(`Subject: parted\nContent-Type: multipart/mixed; boundary=b\n\n${"--b\n".repeat(MB / 2)}`),
      "parted",
    ],
    "folded.eml": [() => text(`Subject: folded\n${" \n".repeat(500_000)}\nbody`), "folded"],
    "latin.txt": [() => Uint8Array.from("Straße Müller", (sign) => sign.charCodeAt(0)), "Müller"],
    "lines.txt": [() => text(`empty${"\n".repeat(3 * MB)}`), "empty"],
    "nothing.txt": [() => zeros(0)],
  },
  // Reading ends at a limit.
  cut: {
    "10,000 pages.pdf": [
      () => pdfOf(Array.from({ length: 10_000 }, (_, at) => pdfPage(`page ${at}`))),
      "page 499",
    ],
    "wide forms.pdf": [
      () =>
        drawing(`${shows("wide")} ${"/X Do ".repeat(2000)}`, [
          stream("/Subtype /Form", text("0 0 m ".repeat(20_000))),
        ]),
      "wide",
    ],
    "many bombs.pdf": [
      () => {
        const bomb = { content: packed(zeros(15 * MB)), filter: "/FlateDecode" };
        return pdfOf([pdfPage("first"), ...Array<typeof bomb>(20).fill(bomb)]);
      },
      "first",
    ],
    "runs.pdf": [() => behind("running", new Uint8Array(2 * MB).fill(129), "/RunLengthDecode"), "running"],
    "objects in objects.pdf": [
      () => text(`%PDF-1.4\n${Array.from({ length: 60_000 }, (_, at) => `${at} 0 obj [`).join(" ")}`),
    ],
    "streams without end.pdf": [
      () =>
        text(
          `%PDF-1.4\n${Array.from({ length: 100_000 }, (_, at) => `${at} 0 obj <</Type /ObjStm>> stream`).join("\n")}`,
        ),
    ],
    "bomb.docx": [
      () =>
        docx(joined([text(word(paragraph("ahead")).replace("</w:body></w:document>", "")), zeros(60 * MB)])),
      "ahead",
    ],
    "one entry, many names.epub": [
      () =>
        book(
          Object.fromEntries(
            Array.from({ length: 200 }, (_, at) => [`c${at}`, `<p>${"x".repeat(MB / 2)}</p>`]),
          ),
          Array.from({ length: 200 }, (_, at) => `<itemref idref="c${at}"/>`).join(""),
        ),
    ],
    "damaged packing.docx": [
      () =>
        patched(docx(word(paragraph("one").repeat(500))), (view, bytes) =>
          bytes.fill(0xff, 60, directory(view) - 10),
        ),
    ],
    "one string, many cells.xlsx": [() => sheet(100_000, "y".repeat(30_000))],
    "brackets.html": [() => text(`<p>angular</p>${"<".repeat(2 * MB)}`), "angular"],
    "ampersands.html": [() => text(`<p>anded</p>${"&".repeat(2 * MB)}`), "anded"],
    "words.eml": [() => text(`Subject: encoded ${"=?utf-8?q?".repeat(100_000)}\n\nbody`), "encoded"],
    "one word.txt": [() => text("w".repeat(4 * MB))],
  },
  // They cannot be read.
  failed: {
    "empty.pdf": [() => zeros(0)],
    "zeros.pdf": [() => joined([text("%PDF-1.7\n"), zeros(8 * MB)])],
    "unknown lock.pdf": [
      () => updated("locked", "\ntrailer << /Root 1 0 R /Encrypt << /Filter /Mine /V 9 /R 9 >> >>"),
    ],
    "half a million children.pdf": [() => childrenOf("null ".repeat(500_000))],
    "objects without end.pdf": [() => text(`%PDF-1.4\n${"1 0 obj ".repeat(500_000)}`)],
    "no chapters.epub": [() => zipSync({ "META-INF/container.xml": text("<container/>") })],
    "65,535 entries.docx": [() => manyEntries(65_535)],
    "directory elsewhere.docx": [
      () => patched(written("one"), (view) => view.setUint32(view.byteLength - 6, 0xfffffff0, true)),
    ],
    "truncated.docx": [() => written("one").slice(0, -30)],
    "locked.docx": [() => patched(written("one"), (view) => view.setUint16(directory(view) + 8, 1, true))],
    "strange packing.docx": [
      () => patched(written("one"), (view) => view.setUint16(directory(view) + 10, 99, true)),
    ],
    "picture.pdf": [() => joined([Uint8Array.of(0x89, 0x50, 0x4e, 0x47), zeros(1000)])],
    "old.doc": [() => joined([Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0), zeros(1000)])],
  },
  // They have no text.
  none: {
    "empty.docx": [() => zipSync({})],
    "archive of pictures.zip": [() => zipSync({ "a.png": zeros(100) })],
    "program.txt": [() => joined([text("MZ"), zeros(5000)])],
    "song.mp3": [() => text("ID3")],
  },
};

export const HOSTILE = Object.entries(FILES).flatMap(([state, files]) =>
  Object.entries(files).map(([name, [bytes, says]]) => ({
    ...{ name, state, bytes, says, type: TYPES[name.split(".").at(-1) ?? ""] ?? "" },
  })),
);
