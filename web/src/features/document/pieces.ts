/** Up to this length, words are read as a whole: nobody sees where a longer paragraph is divided, except in marks. */
const MAX_WHOLE = 10_000;
/** Shorter ones are always whole. */
export const PIECE = 2000;
/** What is divided into small pieces, because the time for a mark, or a space, grows with the text around it. */
const isCostly = (text: string) => / {100}/.test(text) || text.split(/[!%*<=[\]_`~]/, PIECE).length === PIECE;

/** The pieces in which a parser reads a paragraph, almost always one, with their places. They end with a line or a word. */
export function piecesOf(text: string): [at: number, piece: string][] {
  const size = isCostly(text) ? PIECE : MAX_WHOLE;
  const pieces: [number, string][] = [];
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + size);
    const isLast = at + size >= text.length;
    const end = (!isLast && (piece.lastIndexOf("\n") + 1 || piece.lastIndexOf(" ") + 1)) || size;
    pieces.push([at, piece.slice(0, end)]);
    at += end;
  }
  return pieces;
}
