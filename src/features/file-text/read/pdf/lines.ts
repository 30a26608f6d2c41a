/** `[a b c d e f]`: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [number, number, number, number, number, number];

export const multiply = (one: Matrix, other: Matrix): Matrix => {
  const [a, b, c, d, e, f] = one;
  const [A, B, C, D, E, F] = other;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
};

/** Relative to the font size: a gap this wide is a space; a step this high, or this far back, is a new line. */
const SPACE = 0.17;
const LINE = 0.45;
const BACK = -2;

/** Builds words and lines from the positions of letters. */
export class TextLines {
  readonly #pieces: string[] = [];
  #length = 0;
  #last = "";
  #matrix: Matrix = [1, 0, 0, 1, 0, 0];
  #height = 0;
  /** end of the last letter */
  #x = Number.NaN;
  #y = Number.NaN;

  get length(): number {
    return this.#length;
  }

  /** Sets the origin and the font size of the following letters. */
  moveTo(matrix: Matrix, size: number): void {
    this.#matrix = matrix;
    this.#height = Math.abs(size) * Math.hypot(matrix[0], matrix[1]);
  }

  /** Adds a letter at a distance from the origin. */
  put(text: string, at: number, width: number): void {
    const [a, b, , , e, f] = this.#matrix;
    this.#separate(e + at * a - this.#x, f + at * b - this.#y);
    this.#x = e + (at + width) * a;
    this.#y = f + (at + width) * b;
    if (text !== "") this.#add(text);
  }

  #add(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    this.#last = text;
  }

  /** Adds a space for a gap along the line, or a line break for a step across it or far back. */
  #separate(dx: number, dy: number): void {
    const [a, b] = this.#matrix;
    const unit = Math.hypot(a, b) * this.#height;
    if (!(unit > 0) || Number.isNaN(dx)) return;
    const along = (dx * a + dy * b) / unit;
    const across = Math.abs(dy * a - dx * b) / unit;
    if (across > LINE || along < BACK) {
      if (this.#last !== "\n") this.#add("\n");
    } else if (along > SPACE && this.#last.trim() !== "") this.#add(" ");
  }

  /** The text, with words hyphenated at the end of a line joined. */
  text(): string {
    return this.#pieces.join("").replace(/(\p{Ll})[-\u2010] ?\n(?=\p{Ll})/gu, "$1");
  }
}
