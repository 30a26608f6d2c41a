import { strToU8 } from "fflate";

// PDF files as tests need them: small, with pages that say what they are told to, and with whatever else they are given.

export const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};

export type PdfPage = {
  content: Uint8Array;
  filter?: string;
  resources?: string;
  /** further entries of its font */
  font?: string;
};

const escaped = (text: string) => text.replace(/[()\\]/g, "\\$&");

/** A page with some lines of Latin text. */
export const pdfPage = (text: string): PdfPage => ({
  content: strToU8(
    `BT /F 12 Tf 14 TL 50 750 Td ${text
      .split("\n")
      .map((line) => `(${escaped(line)}) Tj T*`)
      .join(" ")} ET`,
    true,
  ),
});

/** Objects that pages or others refer to have the numbers from 10 on, pages those behind them. */
const FIRST = 10;

export function pdfOf(pages: readonly PdfPage[], objects: readonly Uint8Array[] = []): Uint8Array {
  const text = (value: string) => strToU8(value, true);
  const first = FIRST + objects.length;
  const kids = pages.map((_, at) => `${first + 2 * at} 0 R`).join(" ");
  const pieces = [
    text("%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n"),
    text(`2 0 obj << /Type /Pages /Count ${pages.length} /Kids [${kids}] >> endobj\n`),
    ...objects.flatMap((object, at) => [text(`${FIRST + at} 0 obj `), object, text(" endobj\n")]),
    ...pages.flatMap(
      ({ content, filter, resources = "", font = "/Subtype /Type1 /BaseFont /Helvetica" }, at) => [
        text(`${first + 2 * at} 0 obj << /Type /Page /Parent 2 0 R /Contents ${first + 2 * at + 1} 0 R
        /Resources << /Font << /F << /Type /Font /Encoding /WinAnsiEncoding ${font} >> >> ${resources} >> >> endobj\n`),
        text(
          `${first + 2 * at + 1} 0 obj << ${filter ? `/Filter ${filter}` : ""} /Length ${content.length} >> stream\n`,
        ),
        content,
        text("\nendstream endobj\n"),
      ],
    ),
    text("trailer << /Root 1 0 R >>\n%%EOF\n"),
  ];
  return joined(pieces);
}
