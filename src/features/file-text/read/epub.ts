import type { Steps } from "../../../shared/text/steps.ts";
import { htmlText } from "./html.ts";
import { addParts, type Meter, UnreadableFile } from "./meter.ts";
import { readXml } from "./xml.ts";
import type { Archive } from "./zip.ts";

/** Resolves a path relative to the file that refers to it. */
const resolvePath = (folder: string, path: string) =>
  decodeURI(new URL(path, `file:///${folder}`).pathname.slice(1));

function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Reads the chapters of a book (EPUB 3.3, 5) in order, each in parts. */
export function* readBook(meter: Meter, archive: Archive): Steps<void> {
  let packaged: string | undefined;
  yield* readXml(meter, (yield* archive.text("META-INF/container.xml")) ?? "", {
    open: (name, attribute) => {
      if (name === "rootfile") packaged ??= attribute("full-path");
    },
  });
  const xml = packaged === undefined ? undefined : yield* archive.text(packaged);
  if (xml === undefined) throw new UnreadableFile("The book has no list of chapters");
  const files = new Map<string, string>();
  const order: string[] = [];
  yield* readXml(meter, xml, {
    open: (name, attribute) => {
      if (name === "item") files.set(attribute("id") ?? "", attribute("href") ?? "");
      if (name === "itemref") order.push(attribute("idref") ?? "");
    },
  });
  // Each chapter once: a malicious list may repeat them.
  for (const chapter of new Set(order)) {
    const path = tryRead(() => resolvePath(packaged ?? "", files.get(chapter) ?? ""));
    const html = path === undefined ? undefined : yield* archive.text(path);
    if (html !== undefined) addParts(meter, yield* htmlText(meter, html));
  }
}
