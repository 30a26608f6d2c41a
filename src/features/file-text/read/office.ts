import type { Steps } from "../../../contract/text/steps.ts";
import { addParts, type Meter } from "./meter.ts";
import { readXml } from "./xml.ts";
import type { Archive } from "./zip.ts";

// The text of Office Open XML (ECMA-376) and OpenDocument (ISO/IEC 26300), one line per paragraph.

type Marks = {
  /** elements whose text is read; anything else is layout */
  said: ReadonlySet<string>;
  /** elements that end a line */
  lines: ReadonlySet<string>;
  /** elements that stand for a character */
  signs: Readonly<Record<string, string>>;
  /** elements that are skipped with their content */
  skipped: ReadonlySet<string>;
};

const WORD: Marks = {
  said: new Set(["t"]),
  lines: new Set(["p"]),
  signs: { tab: "\t", br: "\n", cr: "\n", noBreakHyphen: "-" },
  skipped: new Set(["del"]),
};

const OPEN_DOCUMENT: Marks = {
  said: new Set(["p", "h"]),
  lines: new Set(["p", "h", "table-row"]),
  signs: { s: " ", tab: "\t", "line-break": "\n" },
  skipped: new Set(["tracked-changes"]),
};

/** The text of one part, as far as it fits. */
function* textIn(meter: Meter, xml: string, { said, lines, signs, skipped }: Marks): Steps<string> {
  const pieces: string[] = [];
  let [inSaid, inSkipped, length] = [0, 0, 0];
  const put = (text: string) => {
    if (inSkipped > 0 || meter.isFullBy(length)) return;
    pieces.push(text);
    length += text.length;
  };
  yield* readXml(meter, xml, {
    open: (name) => {
      if (skipped.has(name)) inSkipped++;
      if (said.has(name)) inSaid++;
      const sign = signs[name];
      if (sign) put(sign);
    },
    close: (name) => {
      if (said.has(name)) inSaid--;
      if (lines.has(name)) put("\n");
      if (skipped.has(name)) inSkipped--;
    },
    text: (text) => {
      if (inSaid > 0) put(text);
    },
  });
  return pieces.join("");
}

const numberIn = (name: string) => Number(/\d+/.exec(name.slice(name.lastIndexOf("/")))?.[0] ?? 0);
const numbered = (archive: Archive, pattern: RegExp) =>
  archive.names
    .filter((name) => pattern.test(name))
    .toSorted((one, other) => numberIn(one) - numberIn(other));

const WORD_PARTS = ["document", "footnotes", "endnotes", "comments"].map((part) => `word/${part}.xml`);

export function* readWord(meter: Meter, archive: Archive): Steps<void> {
  for (const part of WORD_PARTS) {
    const xml = yield* archive.text(part);
    if (xml !== undefined) addParts(meter, yield* textIn(meter, xml, WORD));
  }
}

/** Each slide is a page. */
export function* readSlides(meter: Meter, archive: Archive): Steps<void> {
  for (const part of numbered(archive, /^ppt\/slides\/slide\d+\.xml$/)) {
    const xml = yield* archive.text(part);
    meter.add(yield* textIn(meter, xml ?? "", WORD));
  }
}

export function* readOpenDocument(meter: Meter, archive: Archive): Steps<void> {
  const xml = yield* archive.text("content.xml");
  addParts(meter, yield* textIn(meter, xml ?? "", OPEN_DOCUMENT));
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
function* cellsOf(meter: Meter, xml: string, strings: readonly string[]): Steps<string> {
  const pieces: string[] = [];
  let [isShared, inValue, length] = [false, false, 0];
  const put = (text: string) => {
    if (meter.isFullBy(length)) return;
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
  for (const part of numbered(archive, /^xl\/worksheets\/sheet\d+\.xml$/)) {
    const xml = yield* archive.text(part);
    addParts(meter, yield* cellsOf(meter, xml ?? "", strings));
  }
}
