import type { Steps } from "../../../../shared/text/steps.ts";
import { findDecoder } from "../decode-text.ts";
import { type CodeMap, readCodeMap } from "./cmap.ts";
import { findEncoding, glyphCharacters } from "./encodings.ts";
import type { PdfFile } from "./file.ts";
import { isDict, nameValue, type PdfDict, PdfName, PdfStream, type PdfValue } from "./objects.ts";

/** A glyph of a shown string: its text, its width relative to the font size, and whether its code is a space. */
export type Glyph = { text: string; width: number; isSpace: boolean };

export type Font = { glyphs: (bytes: Uint8Array) => Glyph[] };

const COMMON_WIDTH = 0.5;

/** Encodings of East Asian fonts with a standard decoder (ISO 32000-1, 9.7.5.2), by prefix of their names. */
const LABELS: [RegExp, string][] = [
  [/^Uni.*-(UCS2|UTF16)-/, "utf-16be"],
  [/^(GBK|GBKp|GBpc|GB|GBK2K)-/, "gbk"],
  [/^(B5pc|ETen-B5|ETenms-B5|HKscs-B5)-/, "big5"],
  [/^(90ms|90msp|90pv|83pv)-RKSJ-/, "shift_jis"],
  [/^(KSCms-UHC|KSC|KSCpc)-/, "euc-kr"],
];

function* readCharacterMap(file: PdfFile, font: PdfDict): Steps<CodeMap | undefined> {
  const stream = file.get(font.get("ToUnicode"));
  const bytes = stream instanceof PdfStream ? yield* file.unpack(stream) : undefined;
  return bytes && (yield* readCodeMap(file.meter, bytes));
}

/** The characters of a simple font by code: its encoding, with differences given as glyph names. */
function simpleCharacters(file: PdfFile, font: PdfDict): string[] {
  const encoding = file.get(font.get("Encoding"));
  const named = isDict(encoding) ? nameValue(file.get(encoding.get("BaseEncoding"))) : nameValue(encoding);
  const characters = [...findEncoding(named)];
  let code = 0;
  for (const one of isDict(encoding) ? file.list(encoding.get("Differences")) : []) {
    if (typeof one === "number") code = one;
    else if (one instanceof PdfName && code >= 0 && code < 256)
      characters[code++] = glyphCharacters(one.name) ?? "";
  }
  return characters;
}

function simpleWidths(file: PdfFile, font: PdfDict): (code: number) => number {
  const widths = file.list(font.get("Widths")).slice(0, 256);
  const first = file.number(font, "FirstChar", 0);
  const isDrawn = nameValue(font.get("Subtype")) === "Type3";
  const matrix = file.list(font.get("FontMatrix"));
  const scale = isDrawn && typeof matrix[0] === "number" ? matrix[0] : 0.001;
  return (code) => {
    const width = file.get(widths[code - first]);
    return typeof width === "number" ? width * scale : COMMON_WIDTH;
  };
}

function* simpleFont(file: PdfFile, font: PdfDict): Steps<Font> {
  const map = yield* readCharacterMap(file, font);
  const characters = simpleCharacters(file, font);
  const widthOf = simpleWidths(file, font);
  return {
    glyphs: (bytes) =>
      Array.from(bytes, (code) => ({
        text: map?.characters.get(code) ?? characters[code] ?? "",
        width: widthOf(code),
        isSpace: code === 32,
      })),
  };
}

const MAX_WIDTHS = 100_000;

type Widths = Map<number, number>;

/** Adds one entry of a list of widths; returns its number of items. */
function addWidths(widths: Widths, from: PdfValue, next: PdfValue, width: PdfValue): number {
  if (Array.isArray(next)) {
    for (const [ahead, one] of next.entries())
      if (typeof one === "number" && typeof from === "number") widths.set(from + ahead, one);
    return 2;
  }
  if (typeof from === "number" && typeof next === "number" && typeof width === "number") {
    const until = Math.min(next, from + MAX_WIDTHS - widths.size);
    for (let code = from; code <= until; code++) widths.set(code, width);
  }
  return 3;
}

/** The widths of a composite font: `12 [500 600]` for codes from 12 on, or `12 20 500` for codes 12 to 20. */
function compositeWidths(file: PdfFile, descendant: PdfDict): (code: number) => number {
  const widths: Widths = new Map();
  const listed = file.list(descendant.get("W")).slice(0, MAX_WIDTHS);
  const at = (place: number) => file.get(listed[place]);
  for (let place = 0; place < listed.length && widths.size < MAX_WIDTHS; )
    place += addWidths(widths, at(place), at(place + 1), at(place + 2));
  file.meter.charge(listed.length + widths.size);
  const common = file.number(descendant, "DW", 1000);
  return (code) => (widths.get(code) ?? common) / 1000;
}

const codeLength = (lengths: number[] | undefined, first: number) => lengths?.[first] || 2;

/** The decoder of a named encoding; undefined if codes are glyph numbers. */
const namedDecoder = (name: string) => {
  const label = LABELS.find(([pattern]) => pattern.test(name))?.[1];
  return label === undefined ? undefined : findDecoder(label);
};

type Composite = {
  map: CodeMap | undefined;
  lengths: number[] | undefined;
  decoder: TextDecoder | undefined;
  widthOf: (code: number) => number;
};

/** Decodes a string code by code, with the character map or, if codes are characters, with the decoder. */
const glyphsByCode =
  ({ map, lengths, decoder, widthOf }: Composite) =>
  (bytes: Uint8Array): Glyph[] => {
    const found: Glyph[] = [];
    for (let at = 0; at < bytes.length; ) {
      const length = codeLength(lengths, bytes[at] ?? 0);
      const own = bytes.subarray(at, at + length);
      const code = own.reduce((sum, byte) => sum * 256 + byte, 0);
      const text = map?.characters.get(code) ?? decoder?.decode(own) ?? "";
      found.push({ text, width: widthOf(code), isSpace: length === 1 && code === 32 });
      at += length;
    }
    return found;
  };

function* compositeFont(file: PdfFile, font: PdfDict): Steps<Font> {
  const map = yield* readCharacterMap(file, font);
  const encoding = file.get(font.get("Encoding"));
  const name = nameValue(encoding) ?? "";
  const embedded = encoding instanceof PdfStream ? yield* file.unpack(encoding) : undefined;
  const codes = embedded && (yield* readCodeMap(file.meter, embedded));
  const decoder = namedDecoder(name);
  const isTwoBytes = name.startsWith("Identity") || decoder?.encoding === "utf-16be";
  if (!map && decoder && !isTwoBytes)
    return { glyphs: (bytes) => [{ text: decoder.decode(bytes), width: bytes.length / 2, isSpace: false }] };
  return {
    glyphs: glyphsByCode({
      map,
      decoder: isTwoBytes ? decoder : undefined,
      lengths: isTwoBytes ? undefined : (codes?.lengths ?? map?.lengths),
      widthOf: compositeWidths(file, file.dict(file.list(font.get("DescendantFonts"))[0])),
    }),
  };
}

export function* readFont(file: PdfFile, font: PdfDict): Steps<Font> {
  const isComposite = nameValue(file.get(font.get("Subtype"))) === "Type0";
  return isComposite ? yield* compositeFont(file, font) : yield* simpleFont(file, font);
}
