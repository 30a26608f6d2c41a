import { strToU8, zlibSync } from "fflate";
import type { Hostile } from "./hostile-files.ts";
import { joined, pdfOf, pdfPage } from "./pdf.ts";

// PDF files that are damaged, or made to keep whoever reads them busy.

const PDF = "application/pdf";
const MB = 1024 * 1024;
const text = (value: string) => strToU8(value);
const zeros = (bytes: number) => new Uint8Array(bytes);

const stream = (dict: string, bytes: Uint8Array) =>
  joined([text(`<< ${dict} /Length ${bytes.length} >>\nstream\n`), bytes, text("\nendstream")]);
const shows = (words: string) => `BT /F 12 Tf 50 700 Td (${words}) Tj ET`;

/** Forms of which each draws the next one twice: the words of the last one 2 to the power of their number times. */
const doubling = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const draws = at + 1 < count ? "/X Do /X Do" : shows("again");
    const resources = `<< /Font << /F << /Subtype /Type1 /BaseFont /Helvetica >> >> /XObject << /X ${at + 11} 0 R >> >>`;
    return stream(`/Type /XObject /Subtype /Form /Resources ${resources}`, text(draws));
  });

/** Bytes packed by LZW into codes of 9 bits that say the same byte for ever. */
const lzwBomb = () => new Uint8Array(MB).map((_, at) => (at * 37) & 0xff);

export const HOSTILE_PDF: Hostile[] = [
  { name: "empty.pdf", type: PDF, bytes: () => zeros(0), state: "failed" },
  { name: "header.pdf", type: PDF, bytes: () => text("%PDF-1.7\n"), state: "failed" },
  { name: "zeros.pdf", type: PDF, bytes: () => joined([text("%PDF-1.7\n"), zeros(8 * MB)]), state: "failed" },
  {
    name: "truncated.pdf",
    type: PDF,
    bytes: () => pdfOf([pdfPage("begun")]).slice(0, -40),
    state: "done",
    says: "begun",
  },
  {
    name: "loop of tables.pdf",
    type: PDF,
    bytes: () =>
      joined([
        pdfOf([pdfPage("tabled")]),
        text("\nxref\n0 0\ntrailer << /Prev 5 /Root 1 0 R >>\nstartxref\n5\n%%EOF"),
      ]),
    ...({ state: "done", says: "tabled" } as const),
  },
  {
    name: "tree that bites its tail.pdf",
    type: PDF,
    bytes: () =>
      text(
        "%PDF-1.4\n1 0 obj << /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [2 0 R 2 0 R 1 0 R] >> endobj\ntrailer << /Root 1 0 R >>",
      ),
    state: "done",
  },
  {
    name: "10,000 pages.pdf",
    type: PDF,
    bytes: () => pdfOf(Array.from({ length: 10_000 }, (_, at) => pdfPage(`page ${at}`))),
    state: "cut",
    says: "page 499",
  },
  {
    name: "forms that double.pdf",
    type: PDF,
    bytes: () =>
      pdfOf(
        [{ content: text(`${shows("doubled")} /X Do`), resources: "/XObject << /X 10 0 R >>" }],
        doubling(40),
      ),
    state: "done",
    says: "doubled",
  },
  {
    name: "wide forms.pdf",
    type: PDF,
    bytes: () =>
      pdfOf(
        [
          {
            content: text(`${shows("wide")} ${"/X Do ".repeat(2000)}`),
            resources: "/XObject << /X 10 0 R >>",
          },
        ],
        [stream("/Subtype /Form", text("0 0 m ".repeat(20_000)))],
      ),
    state: "cut",
    says: "wide",
  },
  {
    name: "form that draws itself.pdf",
    type: PDF,
    bytes: () =>
      pdfOf(
        [{ content: text(`${shows("mirrored")} /X Do`), resources: "/XObject << /X 10 0 R >>" }],
        [stream("/Subtype /Form /Resources << /XObject << /X 10 0 R >> >>", text("/X Do"))],
      ),
    state: "done",
    says: "mirrored",
  },
  {
    name: "bomb.pdf",
    type: PDF,
    bytes: () =>
      pdfOf([pdfPage("before"), { content: zlibSync(zeros(60 * MB), { level: 9 }), filter: "/FlateDecode" }]),
    state: "done",
    says: "before",
  },
  {
    name: "bomb in a bomb.pdf",
    type: PDF,
    bytes: () =>
      pdfOf([
        pdfPage("outer"),
        {
          content: zlibSync(zlibSync(zeros(60 * MB), { level: 9 }), { level: 9 }),
          filter: "[/FlateDecode /FlateDecode]",
        },
      ]),
    state: "done",
    says: "outer",
  },
  {
    name: "many bombs.pdf",
    type: PDF,
    bytes: () => {
      const bomb = zlibSync(zeros(15 * MB), { level: 9 });
      return pdfOf([
        pdfPage("first"),
        ...Array.from({ length: 20 }, () => ({ content: bomb, filter: "/FlateDecode" })),
      ]);
    },
    state: "cut",
    says: "first",
  },
  {
    name: "LZW.pdf",
    type: PDF,
    bytes: () => pdfOf([pdfPage("older"), { content: lzwBomb(), filter: "/LZWDecode" }]),
    state: "done",
    says: "older",
  },
  {
    name: "runs.pdf",
    type: PDF,
    bytes: () =>
      pdfOf([pdfPage("running"), { content: new Uint8Array(2 * MB).fill(129), filter: "/RunLengthDecode" }]),
    state: "cut",
    says: "running",
  },
  {
    name: "five filters.pdf",
    type: PDF,
    bytes: () => pdfOf([pdfPage("filtered"), { content: text("00"), filter: `[${"/AHx ".repeat(5)}]` }]),
    state: "done",
    says: "filtered",
  },
  {
    name: "wrong length.pdf",
    type: PDF,
    bytes: () =>
      text(
        new TextDecoder("latin1")
          .decode(pdfOf([pdfPage("lengthy")]))
          .replace(/\/Length \d+/g, "/Length 99999999"),
      ),
    state: "done",
    says: "lengthy",
  },
  {
    name: "length of itself.pdf",
    type: PDF,
    bytes: () =>
      text(
        new TextDecoder("latin1")
          .decode(pdfOf([pdfPage("selfish")]))
          .replace(/\/Length \d+/g, "/Length 4 0 R"),
      ),
    state: "done",
    says: "selfish",
  },
  {
    name: "deep arrays.pdf",
    type: PDF,
    bytes: () => pdfOf([{ content: text(`${shows("deep")} ${"[".repeat(200_000)}`) }]),
    state: "done",
    says: "deep",
  },
  {
    name: "deep dictionaries.pdf",
    type: PDF,
    bytes: () => pdfOf([pdfPage("nested")], [text("<< /A ".repeat(200_000))]),
    state: "done",
    says: "nested",
  },
  {
    name: "states.pdf",
    type: PDF,
    bytes: () => pdfOf([{ content: text(`${"q ".repeat(300_000)} ${shows("stacked")}`) }]),
    state: "done",
    says: "stacked",
  },
  {
    name: "map of everything.pdf",
    type: PDF,
    bytes: () =>
      pdfOf(
        [{ content: text(shows("mapped")), font: "/ToUnicode 10 0 R" }],
        [stream("", text(`beginbfrange ${"<0000> <ffff> <0041> ".repeat(2000)} endbfrange`))],
      ),
    state: "done",
  },
  {
    name: "widths of everything.pdf",
    type: PDF,
    bytes: () =>
      pdfOf([
        {
          content: text(shows("wide")),
          font: "/Subtype /Type0 /DescendantFonts [<< /W [0 2147483647 500] >>]",
        },
      ]),
    state: "done",
  },
  {
    name: "predicted.pdf",
    type: PDF,
    bytes: () =>
      pdfOf([
        pdfPage("foreseen"),
        {
          content: zlibSync(zeros(MB)),
          filter: "/FlateDecode /DecodeParms << /Predictor 12 /Columns 999999999 /Colors 99 >>",
        },
      ]),
    state: "done",
    says: "foreseen",
  },
  {
    name: "unknown lock.pdf",
    type: PDF,
    bytes: () =>
      joined([
        pdfOf([pdfPage("locked")]),
        text("\ntrailer << /Root 1 0 R /Encrypt << /Filter /Mine /V 9 /R 9 >> >>"),
      ]),
    state: "failed",
  },
  {
    name: "half a million children.pdf",
    type: PDF,
    bytes: () =>
      text(
        `%PDF-1.4\n1 0 obj << /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [${"null ".repeat(500_000)}] >> endobj\ntrailer << /Root 1 0 R >>`,
      ),
    state: "failed",
  },
  {
    name: "objects without end.pdf",
    type: PDF,
    bytes: () => text(`%PDF-1.4\n${"1 0 obj ".repeat(500_000)}`),
    state: "failed",
  },
  {
    name: "objects in objects.pdf",
    type: PDF,
    bytes: () => text(`%PDF-1.4\n${Array.from({ length: 60_000 }, (_, at) => `${at} 0 obj [`).join(" ")}`),
    state: "cut",
  },
  {
    name: "streams without end.pdf",
    type: PDF,
    bytes: () =>
      text(
        `%PDF-1.4\n${Array.from({ length: 100_000 }, (_, at) => `${at} 0 obj <</Type /ObjStm>> stream`).join("\n")}`,
      ),
    state: "cut",
  },
];
