import type { Steps } from "../../../contract/text/steps.ts";
import { LIMITS, type Meter, Unreadable } from "./meter.ts";
import { PageReader } from "./pdf/content.ts";
import { PdfFile } from "./pdf/file.ts";
import { Stream } from "./pdf/objects.ts";
import { pagesOf } from "./pdf/pages.ts";

// PDF.js, which `unpdf` packs for workers, would be two thirds of the Worker's bundle, and cannot be interrupted: one page whose
// forms draw each other twice keeps it, and everybody else in the isolate, busy for ever. This reads text only, in steps.

/** The text of each page; returns how many pages the file has. Throws Unreadable and Enough. */
export function* readPdf(meter: Meter, bytes: Uint8Array): Steps<number> {
  const file = new PdfFile(meter, bytes);
  yield* file.open();
  const pages = yield* pagesOf(file);
  const reader = new PageReader(file);
  for (const { dict, resources } of pages.slice(0, LIMITS.pages)) {
    const content = file.get(dict.get("Contents"));
    const streams = (Array.isArray(content) ? content.slice(0, 1000) : [content]).map((one) => file.get(one));
    meter.add(
      yield* reader.textOf(
        streams.filter((one) => one instanceof Stream),
        resources,
      ),
    );
    yield;
  }
  if (pages.length === 0) throw new Unreadable("It is damaged: no pages are found in it");
  return pages.length;
}
