import type { Steps } from "../../../shared/text/steps.ts";
import { LIMITS, type Meter, UnreadableFile } from "./meter.ts";
import { PageReader } from "./pdf/content.ts";
import { PdfFile } from "./pdf/file.ts";
import { PdfStream } from "./pdf/objects.ts";
import { readPages } from "./pdf/pages.ts";

// PDF.js, which `unpdf` bundles for workers, would be two thirds of the Worker's bundle and cannot be interrupted: a page whose
// forms draw each other twice would block the isolate forever. This reader extracts only text, in steps.

/** Reads the text of each page; returns the number of pages of the file. Throws UnreadableFile and LimitReached. */
export function* readPdf(meter: Meter, bytes: Uint8Array): Steps<number> {
  const file = new PdfFile(meter, bytes);
  yield* file.open();
  const pages = yield* readPages(file);
  const reader = new PageReader(file);
  for (const { dict, resources } of pages.slice(0, LIMITS.pages)) {
    const content = file.get(dict.get("Contents"));
    const streams = (Array.isArray(content) ? content.slice(0, 1000) : [content]).map((one) => file.get(one));
    const drawn = streams.filter((one) => one instanceof PdfStream);
    meter.add(yield* reader.textOf(drawn, resources));
    yield;
  }
  if (pages.length === 0) throw new UnreadableFile("It is damaged: no pages were found");
  return pages.length;
}
