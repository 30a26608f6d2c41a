import { useQuery } from "@tanstack/react-query";
import { isSameName } from "../../../../src/contract/name-key.ts";
import { type DocumentListItem, documentsApi } from "../../api/documents.ts";
import type { Folder } from "../../api/folders.ts";
import { titleText } from "../../kit/title-text.ts";
import { queries } from "../../state/queries.ts";
import { ALL_FOLDERS_QUERY } from "../folders/folders.ts";

// Documents in a top-level folder called Templates, in any letter case, are offered as templates for new documents.

export const TEMPLATES_FOLDER = "Templates";

const MAX_TEMPLATES = 100;

export type Template = { id: string; title: string };

/** The top-level folders with this name, in any letter case. */
export const topFoldersNamed = (folders: readonly Folder[], name: string) =>
  folders.filter((folder) => folder.parent_id === null && isSameName(folder.name, name));

const inFolder = (id: string) => documentsApi.list({ folder_id: id, sort: "title", limit: MAX_TEMPLATES });

/** The templates, by title. Throws ApiError. */
export async function readTemplates(): Promise<DocumentListItem[]> {
  const folders = topFoldersNamed(await queries.fetchQuery(ALL_FOLDERS_QUERY), TEMPLATES_FOLDER);
  const lists = await Promise.all(folders.map(({ id }) => inFolder(id)));
  return lists.flatMap(({ items }) => items);
}

const asTemplates = (items: DocumentListItem[]): Template[] =>
  items.map(({ id, title }) => ({ id, title: titleText(title) }));

/** The templates, loaded when they are about to be shown. */
export const useTemplates = () =>
  useQuery({ queryKey: ["documents", "templates"], queryFn: readTemplates, select: asTemplates });

export const newDocumentPath = ({ id }: Template, folder?: string) =>
  `/documents/new?${new URLSearchParams({ template: id, ...(folder && { folder }) })}`;
