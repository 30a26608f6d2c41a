import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText } from "../../src/shared/import/encoding.ts";

// A text is read in the encoding that it has, also in UTF-16 without a byte order mark.

/** A text of ten signs in each script, and others that looked like something else. */
const TEXTS = [
  ...["नमस्ते जी\n", "ওহে দুনিয়", "નમસ્તે જી\n", "నమస్తే డి\n", "สวัสดี ฉัน", "Γειά σου!\n", "Привет вам"],
  ...["שלום עולם\n", "مرحبا بكم\n", "日本語の文章です。\n", "おはなしがあります\n", "나는 학교에 간다\n"],
  ...[
    "我们明天去北京吧。\n",
    "Grüße, Ada",
    "„Alle Menschen sind frei geboren“ – 5 €\nund gleich an Würde.\n",
  ],
  "सभी मनुष्यों को गौरव और अधिकारों के मामले में\nसमानता प्राप्त है।\n",
  "　第一条　すべての人間は、生まれながらにして自由であり、\n一つの一日です。\n",
  "　第一条　人人生而自由，在尊严和权利上一律平等。\n一个人的一天，一月一日。\n",
  "가나다 가격이 가장 가깝다.\n",
];

const utf16 = (text: string, isBig = false) => {
  const bytes = Buffer.from(text, "utf16le");
  return new Uint8Array(isBig ? bytes.swap16() : bytes);
};
const utf8 = (text: string) => new TextEncoder().encode(text);

function expectUtf16(text: string): void {
  for (const isBig of [false, true])
    expect(decodeText(utf16(text, isBig)), JSON.stringify(text.slice(0, 100))).toEqual({
      text,
      encoding: isBig ? "UTF-16BE" : "UTF-16LE",
    });
}

function expectUtf8(text: string): void {
  expect(decodeText(utf8(text)), JSON.stringify(text)).toEqual({ text, encoding: "UTF-8" });
}

test("UTF-16 without a byte order mark is recognized in every script, in short and long texts", () => {
  for (const text of TEXTS) for (const times of [1, 500]) expectUtf16(text.repeat(times));
});

test("valid UTF-8 stays UTF-8, however uniform it is", () => {
  const uniform = ["1\t2\t3\t4\t", "1\n2\n3\n4\n", "- - - - ", "aaaa", "||||||", "1,2,3,4\n5,6,7,8\n\0\0"];
  const withZeros = ["a\0b", "abcb\n\0", "Hello wor\0ld", "שלום\0\0", "один\0два\0", "a\0\0b", "a\0\0bc\0"];
  for (const text of ["", ...uniform, ...withZeros, "बच्चे\tजी\n", "Hallo,\r\nWelt\r\n\0\0"]) expectUtf8(text);
});

test("a byte order mark counts, and what is neither UTF-8 nor UTF-16 is Windows-1252 or no text", () => {
  const cases: [Uint8Array, string, string][] = [
    [utf8("\ufeff„Café“"), "„Café“", "UTF-8"],
    [utf16("\ufeff日本語"), "日本語", "UTF-16LE"],
    [utf16("\ufeff日本語", true), "日本語", "UTF-16BE"],
    [Buffer.from("Gr\xfc\xdfe \x80 \x84x\x93", "latin1"), "Grüße € „x“", "Windows-1252"],
  ];
  for (const [raw, text, encoding] of cases) expect(decodeText(raw)).toEqual({ text, encoding });
  const picture = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d];
  const others = [picture, [0xff, 0xfe, 0, 0xd8, 0x01], [0xe4, 0, 0, 0, 0xe4], [0x81, 0x8d]];
  for (const raw of others)
    expect(() => decodeText(new Uint8Array(raw)), raw.join()).toThrow("is not a text in UTF-8, UTF-16");
});

const SENTENCES =
  "The quick fox. Grüße – „Café“, 5 €! Привет, мир. Καλημέρα κόσμε. 日本語の文です。 我们明天去。 안녕하세요 세계. שלום עולם. مرحبا بالعالم. नमस्ते दुनिया. สวัสดีชาวโลก ".split(
    " ",
  );
const anyText = fc
  .array(fc.constantFrom(...SENTENCES), { minLength: 4, maxLength: 40 })
  .map((words) => words.join(" "));

test("a text in UTF-8 with a few stray zeros is not taken for UTF-16", () => {
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(anyText, places, fc.nat(1), (written, all, length) => {
      const signs = [...written, ...(length ? ["x"] : [])];
      const least = Math.max(1, Math.floor(signs.length / 8));
      for (const place of all.slice(0, least)) signs.splice(place % (signs.length + 1), 0, "\0");
      expectUtf8(signs.join(""));
    }),
  );
});

test("a mixed text in UTF-16 without a mark is not taken for UTF-8", () => {
  fc.assert(fc.property(anyText, expectUtf16));
});
