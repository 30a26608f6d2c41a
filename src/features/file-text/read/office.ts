import type { Steps } from "../../../shared/text/steps.ts";
import { addParts, type Meter } from "./meter.ts";
import { readXml } from "./xml.ts";
import type { Archive } from "./zip.ts";

// The text of Office Open XML (ECMA-376) and OpenDocument (ISO/IEC 26300), one line per paragraph.

type FormatElements = {
  /** elements whose text is read; anything else is layout */
  textElements: ReadonlySet<string>;
  /** elements that end a line */
  lineElements: ReadonlySet<string>;
  /** elements that stand for a character */
  signs: Readonly<Record<string, string>>;
  /** elements that are skipped with their content */
  skipped: ReadonlySet<string>;
};

const WORD: FormatElements = {
  textElements: new Set(["t"]),
  lineElements: new Set(["p"]),
  signs: { tab: "\t", br: "\n", cr: "\n", noBreakHyphen: "-" },
  skipped: new Set(["del"]),
};

const OPEN_DOCUMENT: FormatElements = {
  textElements: new Set(["p", "h"]),
  lineElements: new Set(["p", "h", "table-row"]),
  signs: { s: " ", tab: "\t", "line-break": "\n" },
  skipped: new Set(["tracked-changes"]),
};

function* readPart(
  meter: Meter,
  xml: string,
  { textElements, lineElements, signs, skipped }: FormatElements,
): Steps<string> {
  const pieces: string[] = [];
  let [inText, inSkipped, length] = [0, 0, 0];
  const put = (text: string) => {
    if (inSkipped > 0 || meter.isTooLong(length)) return;
    pieces.push(text);
    length += text.length;
  };
  yield* readXml(meter, xml, {
    open: (name) => {
      if (skipped.has(name)) inSkipped++;
      if (textElements.has(name)) inText++;
      const sign = signs[name];
      if (sign) put(sign);
    },
    close: (name) => {
      if (textElements.has(name)) inText--;
      if (lineElements.has(name)) put("\n");
      if (skipped.has(name)) inSkipped--;
    },
    text: (text) => {
      if (inText > 0) put(text);
    },
  });
  return pieces.join("");
}

const partNumber = (name: string) => Number(/\d+/.exec(name.slice(name.lastIndexOf("/")))?.[0] ?? 0);
const numberedParts = (archive: Archive, pattern: RegExp) =>
  archive.names
    .filter((name) => pattern.test(name))
    .toSorted((one, other) => partNumber(one) - partNumber(other));

const WORD_PARTS = ["document", "footnotes", "endnotes", "comments"].map((part) => `word/${part}.xml`);

export function* readWord(meter: Meter, archive: Archive): Steps<void> {
  for (const part of WORD_PARTS) {
    const xml = yield* archive.text(part);
    if (xml !== undefined) addParts(meter, yield* readPart(meter, xml, WORD));
  }
}

/** Each slide is a page. */
export function* readSlides(meter: Meter, archive: Archive): Steps<void> {
  for (const part of numberedParts(archive, /^ppt\/slides\/slide\d+\.xml$/)) {
    const xml = yield* archive.text(part);
    meter.add(yield* readPart(meter, xml ?? "", WORD));
  }
}

export function* readOpenDocument(meter: Meter, archive: Archive): Steps<void> {
  const xml = yield* archive.text("content.xml");
  addParts(meter, yield* readPart(meter, xml ?? "", OPEN_DOCUMENT));
}

function* sharedStrings(meter: Meter, archive: Archive): Steps<string[]> {
  const strings: string[] = [];
  let [current, inText, inReading]: [string[], boolean, boolean] = [[], false, false];
  yield* readXml(meter, (yield* archive.text("xl/sharedStrings.xml")) ?? "", {
    open: (name) => {
      if (name === "si") current = [];
      // Phonetic guides for Japanese text are skipped.
      if (name === "rPh") inReading = true;
      inText = name === "t";
    },
    close: (name) => {
      if (name === "si") strings.push(current.join(""));
      if (name === "rPh") inReading = false;
      inText = false;
    },
    text: (text) => {
      if (inText && !inReading) current.push(text);
    },
  });
  return strings;
}

/** The cells of a sheet, one line per row. */
function* sheetText(meter: Meter, xml: string, strings: readonly string[]): Steps<string> {
  const pieces: string[] = [];
  let [isShared, inValue, length] = [false, false, 0];
  const put = (text: string) => {
    if (meter.isTooLong(length)) return;
    pieces.push(text);
    length += text.length;
  };
  yield* readXml(meter, xml, {
    open: (name, attribute) => {
      if (name === "c") isShared = attribute("t") === "s";
      inValue = name === "v" || name === "t";
    },
    close: (name) => {
      inValue = false;
      if (name === "c") put("\t");
      if (name === "row") put("\n");
    },
    text: (text) => {
      if (inValue) put(isShared ? (strings[Number(text)] ?? "") : text);
    },
  });
  return pieces.join("");
}

export function* readSheets(meter: Meter, archive: Archive): Steps<void> {
  const strings = yield* sharedStrings(meter, archive);
  for (const part of numberedParts(archive, /^xl\/worksheets\/sheet\d+\.xml$/)) {
    const xml = yield* archive.text(part);
    addParts(meter, yield* sheetText(meter, xml ?? "", strings));
  }
}
