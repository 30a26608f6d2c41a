import type { Steps } from "../../../shared/text/steps.ts";
import { LIMITS, type Meter, UnreadableFile } from "./meter.ts";
import { PageReader } from "./pdf/content.ts";
import { PdfFile } from "./pdf/file.ts";
import { nameValue, type PdfDict, PdfRef, PdfStream, type PdfValue } from "./pdf/objects.ts";

// PDF.js, which `unpdf` bundles for workers, would be two thirds of the Worker's bundle and cannot be interrupted: a page whose
// forms draw each other twice would block the isolate forever. This reader extracts only text, in steps.

type PdfPage = { dict: PdfDict; resources: PdfDict };

const MAX_DEPTH = 60;
/** Far more than are read, because the number of pages is reported. */
const MAX_PAGES = 20_000;

type Branch = { node: PdfValue; resources: PdfDict; depth: number };

/** The branches below a node, or undefined for a page. Visited ones are skipped, so that cycles end. */
function childBranches(
  file: PdfFile,
  dict: PdfDict,
  { resources, depth }: Branch,
  seen: Set<number>,
): Branch[] | undefined {
  const kids = file.get(dict.get("Kids"));
  if (!Array.isArray(kids) || nameValue(dict.get("Type")) === "Page") return undefined;
  return kids.slice(0, MAX_PAGES).flatMap((node) => {
    if (!(node instanceof PdfRef) || seen.has(node.number)) return [];
    seen.add(node.number);
    return [{ node, resources, depth: depth + 1 }];
  });
}

/** The pages in order. `resources` are those of the page, or inherited from a branch above. */
function* readPages(file: PdfFile): Steps<PdfPage[]> {
  const pages: PdfPage[] = [];
  const seen = new Set<number>();
  const visit = (branch: Branch): Branch[] => {
    const dict = branch.depth > MAX_DEPTH ? new Map() : file.dict(branch.node);
    if (dict.size === 0) return [];
    const resources = dict.has("Resources") ? file.dict(dict.get("Resources")) : branch.resources;
    const below = childBranches(file, dict, { ...branch, resources }, seen);
    if (!below) pages.push({ dict, resources });
    return below?.toReversed() ?? [];
  };
  const root = file.dict(file.trailer.get("Root"));
  const stack: Branch[] = [{ node: root.get("Pages") ?? null, resources: new Map(), depth: 0 }];
  for (let branch = stack.pop(); branch && pages.length < MAX_PAGES; branch = stack.pop()) {
    const below = visit(branch);
    stack.push(...below);
    yield* file.meter.spendAndPause(50 + 5 * below.length);
  }
  return pages.length > 0 ? pages : yield* loosePages(file);
}

/** The pages of a file with a damaged or missing page tree, ordered by object number. */
function* loosePages(file: PdfFile): Steps<PdfPage[]> {
  const all = yield* file.all();
  const pages = all.filter((dict) => nameValue(dict.get("Type")) === "Page");
  return pages.map((dict) => ({ dict, resources: file.dict(dict.get("Resources")) }));
}

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
