import { strToU8, zipSync, zlibSync } from "fflate";
import { expect, test } from "vitest";
import { fileText } from "../../../src/features/file-text/read/file-text.ts";
import { glyphCharacters } from "../../../src/features/file-text/read/pdf/encodings.ts";
import { runSteps } from "../../../src/shared/text/steps.ts";
import { pdfOf, pdfPage } from "../../kit/pdf.ts";

const read = (bytes: Uint8Array, type = "application/octet-stream", name = "a file") =>
  runSteps(fileText(bytes, { type, name }));

const paragraph = (words: string) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`;

test("a PDF is read page by page, as its words stand on it", () => {
  const found = read(
    pdfOf([pdfPage("Rental contract\nThe rent is due."), pdfPage("Notice: three (3) months")]),
  );
  expect(found).toEqual({
    state: "done",
    note: null,
    texts: ["Rental contract\nThe rent is due.", "Notice: three (3) months"],
    pages: 2,
  });
});

test.for([
  [
    "letters that stand apart are one word, words that stand apart two",
    "BT /F 10 Tf [(con) -20 (tract) -400 (ends)] TJ ET",
    "contract ends",
  ],
  [
    "a word that is divided at the end of a line is one",
    "BT /F 10 Tf 12 TL (agree-) Tj T* (ment) Tj ET",
    "agreement",
  ],
  [
    "operators that show the next line",
    "BT /F 10 Tf 12 TL (one) Tj (two) ' 1 1 (three) \" ET",
    "one\ntwo\nthree",
  ],
  [
    "strings in hexadecimal digits and octal numbers",
    "BT /F 10 Tf <48 69> Tj ( caf\\351 \\(really\\)) Tj ET",
    "Hi café (really)",
  ],
  [
    "a picture between them is passed over",
    "BT /F 10 Tf (before) Tj ET BI /W 1 ID \u0001EI (no) EIX\u0002 EI BT 0 -20 Td (after) Tj ET",
    "before\nafter",
  ],
] as const)("%s", ([, content, text]) => {
  expect(read(pdfOf([{ content: strToU8(content, true) }])).texts).toEqual([text]);
});

test("a font says which characters its codes are", () => {
  const map =
    "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar <0001> <041F> <0002> <0440> endbfchar 1 beginbfrange <0010> <0012> <D83DDE00> endbfrange";
  const stream = strToU8(`<< /Length ${map.length} >> stream\n${map}\nendstream`);
  const content = strToU8("BT /F 10 Tf <00010002> Tj <00100011> Tj ET");
  const font = "/Subtype /Type0 /Encoding /Identity-H /ToUnicode 10 0 R";
  expect(read(pdfOf([{ content, font }], [stream])).texts).toEqual(["Пр😀😁"]);
  expect(
    ["Adieresis", "ccaron", "fi", "uni20AC", "u1F600", "afii10031", "eacute.sc", "g12"].map(glyphCharacters),
  ).toEqual(["Ä", "č", "fi", "€", "😀", "Н", "é", undefined]);
});

test("objects in compressed streams are read, and of two with a number the later one", () => {
  const inner = strToU8("10 0 11 20 << /Kind /Old    >> << /Type /Pages >>");
  const packed = zlibSync(inner);
  const container = new Uint8Array([
    ...strToU8(`<< /Type /ObjStm /N 2 /First 11 /Filter /FlateDecode /Length ${packed.length} >> stream\n`),
    ...packed,
    ...strToU8("\nendstream"),
  ]);
  expect(read(pdfOf([pdfPage("kept")], [container])).texts).toEqual(["kept"]);
});

const zip = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, strToU8(xml)])));

test("documents of office programs are read by their paragraphs, cells and slides", () => {
  const docx = zip({
    "word/document.xml": `<w:document>${paragraph("Lease &amp; notice")}<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p><w:del>${paragraph("gone")}</w:del></w:document>`,
    "word/footnotes.xml": `<w:footnotes>${paragraph("A note")}</w:footnotes>`,
  });
  expect(read(docx).texts).toEqual(["Lease & notice\na\tb", "A note"]);
  const xlsx = zip({
    "xl/workbook.xml": "<workbook/>",
    "xl/sharedStrings.xml": "<sst><si><t>Rent</t></si><si><r><t>Heat</t></r><r><t>ing</t></r></si></sst>",
    "xl/worksheets/sheet2.xml": '<row><c t="inlineStr"><is><t>second</t></is></c></row>',
    "xl/worksheets/sheet1.xml":
      '<row><c t="s"><v>0</v></c><c><v>1200</v></c></row><row><c t="s"><v>1</v></c></row>',
  });
  expect(read(xlsx).texts).toEqual(["Rent\t1200\nHeating", "second"]);
  const content = "<office:body><text:h>Title</text:h><text:p>one<text:s/>two</text:p></office:body>";
  expect(read(zip({ "content.xml": content })).texts).toEqual(["Title\none two"]);
  const pptx = zip({
    "ppt/presentation.xml": "<p/>",
    "ppt/slides/slide10.xml": "<a:p><a:t>ten</a:t></a:p>",
    "ppt/slides/slide2.xml": "<a:p><a:t>two</a:t></a:p>",
  });
  expect(read(pptx)).toMatchObject({ texts: ["two", "ten"], pages: 2 });
});

test("a book is read by its chapters, in the order of its list", () => {
  const epub = zip({
    "META-INF/container.xml": '<container><rootfile full-path="OPS/book.opf"/></container>',
    "OPS/book.opf":
      '<package><item id="b" href="text/two%20b.xhtml"/><item id="a" href="text/one.xhtml"/><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    "OPS/text/one.xhtml": "<html><style>p{}</style><h1>One</h1><p>Call me&nbsp;<b>Ish</b>mael</p></html>",
    "OPS/text/two b.xhtml": "<p>Two</p>",
  });
  expect(read(epub).texts).toEqual(["One\n\nCall me Ishmael", "Two"]);
});

test("a mail is read with who, when and about what, in its own letters", () => {
  const mail = [
    "From: =?utf-8?q?J=C3=BCrgen?= <j@example.com>",
    "Subject: =?utf-8?B?TWlldHZlcnRyYWc=?=",
    'Content-Type: multipart/mixed; boundary="outer"',
    "",
    "--outer",
    "Content-Type: multipart/alternative; boundary=inner",
    "",
    "--inner",
    "Content-Type: text/plain; charset=iso-8859-1",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "Die Miete betr=E4gt =",
    "900 Euro.",
    "--inner",
    "Content-Type: text/html",
    "",
    "<p>not this one</p>",
    "--inner--",
    "--outer",
    'Content-Type: application/pdf; name="contract.pdf"',
    "Content-Transfer-Encoding: base64",
    "",
    "JVBERi0=",
    "--outer--",
  ].join("\r\n");
  const [text] = read(strToU8(mail), "message/rfc822").texts;
  expect(text).toContain("From: Jürgen <j@example.com>\nSubject: Mietvertrag");
  expect(text).toContain("Die Miete beträgt 900 Euro.");
  expect(text).toContain("contract.pdf");
  expect(text).not.toContain("not this one");
});

test("a text without pages is divided where a paragraph ends, and nothing of it is lost", () => {
  const long = Array.from(
    { length: 400 },
    (_, at) => `Paragraph ${at} of a long text, which goes on and on.`,
  );
  const { texts } = read(strToU8(long.join("\n\n")), "text/markdown", "long.md");
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.join("\n\n")).toBe(long.join("\n\n"));
  expect(texts.every((part) => part.startsWith("Paragraph") && part.endsWith("on."))).toBe(true);
});

test("a picture or a sound has no text", () => {
  expect(read(Uint8Array.of(0x89, 0x50, 0x4e, 0x47), "image/png").state).toBe("none");
  expect(read(strToU8("ID3"), "audio/mpeg").state).toBe("none");
});
