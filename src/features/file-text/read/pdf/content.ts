import type { Steps } from "../../../../shared/text/steps.ts";
import { joinPieces } from "../inflate.ts";
import type { PdfFile } from "./file.ts";
import { type Font, readFont } from "./fonts.ts";
import { type Matrix, multiply, TextLines } from "./lines.ts";
import {
  nameValue,
  type PdfDict,
  PdfName,
  PdfReader,
  PdfRef,
  PdfStream,
  type PdfValue,
  PdfWord,
} from "./objects.ts";

// The text of a page (ISO 32000-1, 9.4). Only operators that show or position text are executed.

const MAX_FORM_DEPTH = 12;
const MAX_CACHED_BYTES = 128 * 1024;
const MAX_CACHED_FORMS = 64;
const MAX_OPERANDS = 500;
const MAX_STATES = 200;
/** Limit of work per page; no page of text takes more. */
const PAGE_WORK = 3_000_000;

type Graphics = {
  matrix: Matrix;
  font: Font | undefined;
  size: number;
  spacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
};

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const INITIAL_GRAPHICS: Graphics = {
  matrix: IDENTITY,
  font: undefined,
  size: 1,
  spacing: 0,
  wordSpacing: 0,
  scale: 1,
  leading: 0,
  rise: 0,
};

const numberOf = (value: PdfValue | undefined) => (typeof value === "number" ? value : 0);
const matrixOf = (values: readonly PdfValue[]) =>
  [0, 1, 2, 3, 4, 5].map((place) => numberOf(values[place])) as unknown as Matrix;

/** Operators that need more than the graphics state: set a font, draw another stream, or skip an image. */
const NON_STATE_OPERATORS = new Set(["Tf", "Do", "BI"]);

type Drawing = { interpreter: Interpreter; reader: PdfReader; resources: PdfDict; depth: number };

/** The next operator with its operands. The operator is undefined at the end, and empty if there are too many operands. */
function nextOperation(reader: PdfReader): [operator: string | undefined, operands: PdfValue[]] {
  const operands: PdfValue[] = [];
  while (operands.length < MAX_OPERANDS) {
    const value = reader.next(false);
    if (value === undefined) return [undefined, operands];
    if (value instanceof PdfWord) return [value.word, operands];
    operands.push(value);
  }
  return ["", operands];
}

/** Reads the pages of a file. Shared fonts are read once. */
export class PageReader {
  readonly #fonts = new Map<number | PdfDict, Font>();
  /** streams drawn on many pages, such as a letterhead */
  readonly #forms = new Map<PdfStream, Uint8Array>();
  #lines = new TextLines();
  #work = 0;

  readonly file: PdfFile;

  constructor(file: PdfFile) {
    this.file = file;
  }

  /** The text of a page in drawing order. */
  *textOf(content: readonly PdfStream[], resources: PdfDict): Steps<string> {
    this.#lines = new TextLines();
    this.#work = 0;
    const pieces: Uint8Array[] = [];
    for (const stream of content) {
      const bytes = yield* this.file.unpack(stream);
      if (bytes) pieces.push(bytes, Uint8Array.of(10));
    }
    yield* this.#draw(joinPieces(pieces, PAGE_WORK), resources, INITIAL_GRAPHICS, 0);
    if (this.#work > PAGE_WORK)
      this.file.meter.noteMissing("One page is too complex, so only its beginning was read");
    return this.#lines.text();
  }

  /** Counts work of the page; returns whether to pause. */
  #spend(work: number): boolean {
    this.#work += work;
    return this.file.meter.spend(work);
  }

  get #isOver(): boolean {
    return this.#work > PAGE_WORK || this.file.meter.isTooLong(this.#lines.length);
  }

  *#draw(bytes: Uint8Array, resources: PdfDict, start: Graphics, depth: number): Steps<void> {
    const reader = new PdfReader(bytes);
    const interpreter = new Interpreter({ ...start }, this.#lines);
    const drawing = { interpreter, reader, resources, depth };
    for (let before = 0; !this.#isOver; before = reader.at) {
      const [operator, operands] = nextOperation(reader);
      if (operator === undefined) return;
      const work = NON_STATE_OPERATORS.has(operator)
        ? yield* this.#runOperator(drawing, operator, operands)
        : interpreter.operate(operator, operands);
      if (this.#spend(work + 1 + reader.at - before)) yield;
    }
  }

  *#runOperator(
    { interpreter, reader, resources, depth }: Drawing,
    operator: string,
    operands: PdfValue[],
  ): Steps<number> {
    if (operator === "BI") skipInlineImage(reader);
    else if (operator === "Tf") yield* this.#setFont(interpreter, operands, resources);
    else yield* this.#form(interpreter, operands, resources, depth);
    return 20;
  }

  *#setFont(interpreter: Interpreter, [name, size]: PdfValue[], resources: PdfDict): Steps<void> {
    const fonts = this.file.dict(resources.get("Font"));
    const fontValue = name instanceof PdfName ? fonts.get(name.name) : undefined;
    const key = fontValue instanceof PdfRef ? fontValue.number : this.file.dict(fontValue);
    const known = this.#fonts.get(key) ?? (yield* readFont(this.file, this.file.dict(fontValue)));
    this.#fonts.set(key, known);
    interpreter.now.font = known;
    interpreter.now.size = numberOf(size);
  }

  /** Draws another stream in place. Recursion is limited by depth, repetition by work. */
  *#form(interpreter: Interpreter, [name]: PdfValue[], resources: PdfDict, depth: number): Steps<void> {
    const form = this.file.get(this.file.dict(resources.get("XObject")).get(nameValue(name) ?? ""));
    if (!(form instanceof PdfStream) || depth >= MAX_FORM_DEPTH) return;
    if (nameValue(form.dict.get("Subtype")) !== "Form") return;
    const bytes = this.#forms.get(form) ?? (yield* this.file.unpack(form));
    if (!bytes) return;
    if (bytes.length <= MAX_CACHED_BYTES && this.#forms.size < MAX_CACHED_FORMS) this.#forms.set(form, bytes);
    if (this.#spend(100)) yield;
    const own = form.dict.has("Resources") ? this.file.dict(form.dict.get("Resources")) : resources;
    const placed = form.dict.has("Matrix") ? matrixOf(this.file.list(form.dict.get("Matrix"))) : IDENTITY;
    const start = { ...interpreter.now, matrix: multiply(placed, interpreter.now.matrix) };
    yield* this.#draw(bytes, own, start, depth + 1);
  }
}

/** Skips an inline image, up to `EI` between spaces. */
function skipInlineImage(reader: PdfReader): void {
  const { bytes } = reader;
  const isSpace = (at: number) => [0, 9, 10, 12, 13, 32].includes(bytes[at] ?? 32);
  while (reader.at < reader.end) {
    const at = bytes.indexOf(69, reader.at);
    if (at < 0) reader.at = reader.end;
    else reader.at = at + 1;
    if (at > 0 && bytes[at + 1] === 73 && isSpace(at - 1) && isSpace(at + 2)) {
      reader.at = at + 2;
      return;
    }
  }
}

class Interpreter {
  #saved: Graphics[] = [];
  #text: Matrix = IDENTITY;
  #line: Matrix = IDENTITY;

  now: Graphics;
  readonly #lines: TextLines;

  constructor(now: Graphics, lines: TextLines) {
    this.now = now;
    this.#lines = lines;
  }

  /** Executes an operator; returns its work. */
  operate(operator: string, operands: readonly PdfValue[]): number {
    switch (operator) {
      case "q":
        if (this.#saved.length < MAX_STATES) this.#saved.push({ ...this.now });
        return 1;
      case "Q":
        this.now = this.#saved.pop() ?? this.now;
        return 1;
      case "cm":
        this.now.matrix = multiply(matrixOf(operands), this.now.matrix);
        return 5;
      case "BT":
        this.#text = this.#line = IDENTITY;
        return 1;
      case "Tm":
        this.#text = this.#line = matrixOf(operands);
        return 5;
      case "Td":
        return this.#move(numberOf(operands[0]), numberOf(operands[1]));
      case "TD":
        this.now.leading = -numberOf(operands[1]);
        return this.#move(numberOf(operands[0]), numberOf(operands[1]));
      case "T*":
        return this.#move(0, -this.now.leading);
      case "Tc":
        this.now.spacing = numberOf(operands[0]);
        return 1;
      case "Tw":
        this.now.wordSpacing = numberOf(operands[0]);
        return 1;
      case "Tz":
        this.now.scale = numberOf(operands[0]) / 100;
        return 1;
      case "TL":
        this.now.leading = numberOf(operands[0]);
        return 1;
      default:
        return this.#show(operator, operands);
    }
  }

  #move(x: number, y: number): number {
    this.#text = this.#line = multiply([1, 0, 0, 1, x, y], this.#line);
    return 5;
  }

  #show(operator: string, operands: readonly PdfValue[]): number {
    if (operator === "Tj") return this.#string(operands[0]);
    if (operator === "TJ") return this.#pieces(operands[0]);
    if (operator !== "'" && operator !== '"') return 1;
    if (operator === '"') {
      this.now.wordSpacing = numberOf(operands[0]);
      this.now.spacing = numberOf(operands[1]);
    }
    this.#move(0, -this.now.leading);
    return this.#string(operands[operator === "'" ? 0 : 2]);
  }

  #pieces(pieces: PdfValue | undefined): number {
    let work = 1;
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      if (typeof piece === "number") this.#advance((-piece / 1000) * this.now.size * this.now.scale);
      work += 2 + this.#string(piece);
    }
    return work;
  }

  #advance(by: number): void {
    this.#text = multiply([1, 0, 0, 1, by, 0], this.#text);
  }

  #string(bytes: PdfValue | undefined): number {
    const { font, size, spacing, wordSpacing, scale } = this.now;
    if (!(bytes instanceof Uint8Array) || !font) return 1;
    const glyphs = font.glyphs(bytes);
    const place = multiply(this.#text, this.now.matrix);
    this.#lines.moveTo(place, size);
    let moved = 0;
    for (const { text, width, isSpace } of glyphs) {
      const by = (width * size + spacing + (isSpace ? wordSpacing : 0)) * scale;
      this.#lines.put(text, moved, by);
      moved += by;
    }
    this.#advance(moved);
    return 1 + 6 * glyphs.length;
  }
}
