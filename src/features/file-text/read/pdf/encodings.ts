import { findDecoder } from "../decode-text.ts";

// Encodings of simple fonts (ISO 32000-1, annex D) and glyph names (Adobe's list,
// https://github.com/adobe-type-tools/agl-specification). Accented glyphs are composed from their parts.

const encodingTable = (label: string): string[] => {
  const decoder = findDecoder(label);
  return Array.from({ length: 256 }, (_, code) => decoder?.decode(Uint8Array.of(code)) ?? "");
};

/** Adobe's standard encoding, above ASCII. */
const STANDARD_UPPER: Record<number, string> = Object.fromEntries([
  ...[..."¡¢£⁄¥ƒ§¤'“«‹›"].map((sign, place) => [0xa1 + place, sign]),
  ...Object.entries({ 174: "fi", 175: "fl", 177: "–", 178: "†", 179: "‡", 180: "·", 182: "¶", 183: "•" }),
  ...[..."‚„”»…‰"].map((sign, place) => [0xb8 + place, sign]),
  ...Object.entries({ 191: "¿", 208: "—", 225: "Æ", 227: "ª", 232: "Ł", 233: "Ø", 234: "Œ", 235: "º" }),
  ...Object.entries({ 241: "æ", 245: "ı", 248: "ł", 249: "ø", 250: "œ", 251: "ß" }),
]);

const standardTable = (): string[] =>
  Array.from({ length: 256 }, (_, code) => {
    if (code === 0x27) return "’";
    if (code === 0x60) return "‘";
    return code < 0x7f ? String.fromCharCode(code) : (STANDARD_UPPER[code] ?? "");
  });

const encodings = new Map<string, string[]>();

/** The characters of an encoding by code. Unknown and missing names mean the standard encoding. */
export function findEncoding(name: string | undefined): readonly string[] {
  const kind = name === "MacRomanEncoding" ? "macintosh" : name === "WinAnsiEncoding" ? "windows-1252" : "";
  const known = encodings.get(kind) ?? (kind === "" ? standardTable() : encodingTable(kind));
  encodings.set(kind, known);
  return known;
}

const ACCENTS: Record<string, string> = {
  acute: "\u0301",
  grave: "\u0300",
  circumflex: "\u0302",
  dieresis: "\u0308",
  tilde: "\u0303",
  ring: "\u030a",
  caron: "\u030c",
  cedilla: "\u0327",
  ogonek: "\u0328",
  breve: "\u0306",
  macron: "\u0304",
  dotaccent: "\u0307",
  hungarumlaut: "\u030b",
  commaaccent: "\u0326",
};
const ACCENTED = new RegExp(`^([A-Za-z])(${Object.keys(ACCENTS).join("|")})$`);

const glyphTable = (signs: string, names: string) =>
  Object.fromEntries(names.split(" ").map((name, place) => [name, [...signs][place] ?? ""]));

const GLYPHS: Record<string, string> = {
  space: " ",
  nbspace: " ",
  hyphen: "-",
  sfthyphen: "\u00ad",
  minus: "−",
  ff: "ff",
  fi: "fi",
  fl: "fl",
  ffi: "ffi",
  ffl: "ffl",
  f_f: "ff",
  f_i: "fi",
  f_l: "fl",
  f_f_i: "ffi",
  f_f_l: "ffl",
  nonbreakingspace: " ",
  ...glyphTable("0123456789", "zero one two three four five six seven eight nine"),
  ...glyphTable(
    "!\"#$%&'()*+,./:;",
    "exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma period slash colon semicolon",
  ),
  ...glyphTable(
    "<=>?@[\\]^_`{|}~",
    "less equal greater question at bracketleft backslash bracketright asciicircum underscore grave braceleft bar braceright asciitilde",
  ),
  ...glyphTable(
    "‘’“”‚„‹›«»",
    "quoteleft quoteright quotedblleft quotedblright quotesinglbase quotedblbase guilsinglleft guilsinglright guillemotleft guillemotright",
  ),
  ...glyphTable(
    "–—•…†‡·§¶©®™°ªº",
    "endash emdash bullet ellipsis dagger daggerdbl periodcentered section paragraph copyright registered trademark degree ordfeminine ordmasculine",
  ),
  ...glyphTable(
    "€£¥¢ƒ¤¡¿¦¬±×÷µ",
    "Euro sterling yen cent florin currency exclamdown questiondown brokenbar logicalnot plusminus multiply divide mu",
  ),
  ...glyphTable(
    "ßæÆœŒøØłŁıðÐþÞđĐħĦŋŊ",
    "germandbls ae AE oe OE oslash Oslash lslash Lslash dotlessi eth Eth thorn Thorn dcroat Dcroat hbar Hbar eng Eng",
  ),
  ...glyphTable(
    "¼½¾¹²³‰⁄",
    "onequarter onehalf threequarters onesuperior twosuperior threesuperior perthousand fraction",
  ),
  ...glyphTable(
    "≤≥≠≈∞∑∏√∂∫∆Ω←↑→↓",
    "lessequal greaterequal notequal approxequal infinity summation product radical partialdiff integral Delta Omega arrowleft arrowup arrowright arrowdown",
  ),
  ...glyphTable(
    "αβγδεζηθικλμνξοπρστυφχψως",
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega sigma1",
  ),
  ...glyphTable(
    "ΑΒΓΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨ",
    "Alpha Beta Gamma Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigma Tau Upsilon Phi Chi Psi",
  ),
};

/** Cyrillic letters by glyph number, in alphabetical order with Ё after Е. */
function cyrillic(number: number): string | undefined {
  const isSmall = number >= 10065 && number <= 10097;
  const place = isSmall ? number - 10065 : number - 10017;
  if (place < 0 || place > 32) return undefined;
  const yo = isSmall ? "ё" : "Ё";
  return place === 6 ? yo : String.fromCharCode((isSmall ? 0x430 : 0x410) + (place > 6 ? place - 1 : place));
}

const fromCodePoint = (hex: string): string => {
  const point = Number.parseInt(hex, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : "";
};

/** Glyph names that contain a number: `uni20AC`, `u1F600`, `afii10017`. */
const NUMBERED: [RegExp, (number: string) => string | undefined][] = [
  [
    /^uni((?:[\dA-F]{4}){1,8})$/,
    (units) => String.fromCharCode(...(units.match(/.{4}/g) ?? []).map((hex) => Number.parseInt(hex, 16))),
  ],
  [/^u([\dA-F]{4,6})$/, fromCodePoint],
  [/^afii(\d{5})$/, (number) => cyrillic(Number(number))],
];

function numberedGlyph(name: string): string | undefined {
  for (const [pattern, read] of NUMBERED) {
    const [, number] = pattern.exec(name) ?? [];
    if (number !== undefined) return read(number);
  }
  return undefined;
}

/** The characters of a glyph by name; undefined for names with a meaning only in their font, such as `g12`. */
export function glyphCharacters(glyph: string): string | undefined {
  const name = glyph.split(".")[0] ?? "";
  if (/^[A-Za-z]$/.test(name)) return name;
  if (Object.hasOwn(GLYPHS, name)) return GLYPHS[name];
  const [, letter, accent = ""] = ACCENTED.exec(name) ?? [];
  return letter ? `${letter}${ACCENTS[accent]}`.normalize("NFC") : numberedGlyph(name);
}
