/** A position in a line: where it is in the text, its column, and how much of a tab is left there. */
type Position = { at: number; column: number; tab: number };

const isSpace = (character: string | undefined) => character === " " || character === "\t";

const NO_BREAKS: [] = [];

/** A line of Markdown, read from left to right. Tabs extend to the next multiple of four columns. */
export class Line {
  readonly text: string;
  readonly start: number;
  /** Where the line ends, before its line end. */
  readonly end: number;
  /** Where the next line starts. */
  readonly next: number;
  private position: Position;
  /** The start and end of a run of white space that has been scanned. */
  private space = { from: -1, to: -1 };
  private breaks: readonly { marker: string; from: number; last: number }[] = NO_BREAKS;

  constructor(text: string, start: number) {
    LINE_END.lastIndex = start;
    const found = LINE_END.exec(text);
    this.text = text;
    this.start = start;
    this.end = found?.index ?? text.length;
    this.next = found ? LINE_END.lastIndex : text.length;
    this.position = { at: start, column: 0, tab: 0 };
  }

  get at(): number {
    return this.position.at;
  }

  /** The rest of the line. */
  get rest(): string {
    return this.text.slice(this.at, this.end);
  }

  /** The character here, empty at the end of the line, a space within a tab. */
  get character(): string {
    if (this.position.tab > 0) return " ";
    return this.at < this.end ? this.text.charAt(this.at) : "";
  }

  get isAtSpace(): boolean {
    return this.position.tab > 0 || isSpace(this.character);
  }

  /** Whether only white space is left. */
  get isBlank(): boolean {
    if (this.at < this.space.from || this.at > this.space.to) {
      let to = this.at;
      while (to < this.end && isSpace(this.text[to])) to++;
      this.space = { from: this.at, to };
    }
    return this.space.to === this.end;
  }

  save(): Position {
    return { ...this.position };
  }

  restore(position: Position): void {
    this.position = position;
  }

  /** Consumes a character that is not white space. */
  take(): void {
    this.position.at++;
    this.position.column++;
  }

  /** Consumes white space of at most the given number of columns; returns how many. */
  takeSpace(max = Number.POSITIVE_INFINITY): number {
    let taken = 0;
    while (taken < max && this.isAtSpace) {
      this.takeColumn();
      taken++;
    }
    return taken;
  }

  private takeColumn(): void {
    const { position } = this;
    if (position.tab === 0 && this.character === "\t") position.tab = 4 - (position.column % 4);
    position.column++;
    if (position.tab > 0) position.tab--;
    if (position.tab === 0) position.at++;
  }

  /** Whether four columns of white space follow, which makes a line indented code. */
  get isIndented(): boolean {
    const before = this.save();
    const isIndented = this.takeSpace(4) === 4;
    this.restore(before);
    return isIndented;
  }

  /** Whether a thematic break of this character starts here: at least three of it, and only white space otherwise. */
  isThematicBreak(marker: string): boolean {
    const known = this.breaks.find((found) => found.marker === marker);
    const { from, last } = known ?? this.findBreak(marker);
    return this.at >= from && this.at <= last;
  }

  /** The position from which there are only markers and white space, and the last one followed by three markers. */
  private findBreak(marker: string): { from: number; last: number } {
    let from = this.end;
    let last = -1;
    let markers = 0;
    while (from > this.start && (this.text[from - 1] === marker || isSpace(this.text[from - 1]))) {
      from--;
      if (this.text[from] === marker && ++markers >= 3 && last < 0) last = from;
    }
    const found = { marker, from, last };
    this.breaks = [...this.breaks, found];
    return found;
  }
}

const LINE_END = /\r\n|\n|\r/g;
