import { nameKey, normalizeName } from "../../../../../src/contract/name-key.ts";
import { frontMatterProperties } from "../../../../../src/shared/files/content.ts";
import {
  linkContext,
  linkedId,
  linkNameKey,
  type NoteLink,
  noteLinksIn,
  propertyTexts,
} from "../../../../../src/shared/markdown/note-links.ts";
import { textChangedAt } from "../../../api/document-times.ts";
import type { Document, DocumentLinks, LinkedDocument } from "../../../api/documents.ts";
import type { Folder } from "../../../api/folders.ts";
import { cachedDocumentsWithChanges } from "../../../state/cached-lists.ts";
import { queries } from "../../../state/queries.ts";
import { ALL_FOLDERS_QUERY, folderPath } from "../../folders/folders.ts";
import { writingOf } from "../writing.ts";
import { inNamedFolder } from "./target-folder.ts";

// Links among the copies on this device, for when the server cannot be reached.

const titleKey = ({ title }: Pick<Document, "title">) => nameKey(normalizeName(title));

const leadsTo = ({ target }: NoteLink, document: Document) =>
  linkedId(target) === document.id || linkNameKey(target) === titleKey(document);

const pathOf = (folders: readonly Folder[], { folder_id }: Document): string | null =>
  folderPath(folders, folder_id)
    .map(({ name }) => name)
    .join("/") || null;

/** The text and the properties that have links. */
function linkingTexts({ content }: Document): string[] {
  const { kind, text } = writingOf(content);
  if (kind !== "markdown") return [];
  return [text, ...[...propertyTexts(frontMatterProperties(content))].map(([, value]) => value)];
}

/** The document on this device to which a target leads. */
export async function findOnDevice(target: string): Promise<Document | undefined> {
  const link: NoteLink = { start: 0, end: 0, target, isWiki: true, isEmbed: false };
  const found = (await cachedDocumentsWithChanges()).filter((document) => leadsTo(link, document));
  return inNamedFolder(target, found);
}

/**
 * The links of a document among those on this device; undefined if it is not there itself. What they do not lead to is left out:
 * the service may have it.
 */
export async function linksOnDevice(id: string): Promise<DocumentLinks | undefined> {
  const documents = await cachedDocumentsWithChanges();
  const own = documents.find((document) => document.id === id);
  if (!own) return undefined;
  const folders = await queries.fetchQuery(ALL_FOLDERS_QUERY).catch(() => []);
  const byTitle = new Map(documents.map((document) => [titleKey(document), document]));
  const byId = new Map(documents.map((document) => [document.id, document]));
  const shown = (document: Document): LinkedDocument => ({
    id: document.id,
    title: document.title,
    folder_id: document.folder_id,
    folder_path: pathOf(folders, document),
  });
  const links = linkingTexts(own)
    .flatMap(noteLinksIn)
    .flatMap(({ target }) => {
      const document = byId.get(linkedId(target) ?? "") ?? byTitle.get(linkNameKey(target));
      return document ? [{ target, document: shown(document) }] : [];
    });
  const backlinks = documents.flatMap((document) => {
    if (document.id === id) return [];
    for (const text of linkingTexts(document)) {
      const link = noteLinksIn(text).find((one) => leadsTo(one, own));
      if (!link) continue;
      return [{ ...shown(document), context: linkContext(text, link), changed_at: textChangedAt(document) }];
    }
    return [];
  });
  return { links, backlinks, backlink_count: backlinks.length };
}
