import type { DocumentListQuery, TaskFilter } from "../../../../src/contract/document.ts";

// The view of the Documents screen, as encoded in its URL.

export const SORT_OPTIONS = {
  changed: { name: "Last changed", query: { sort: "changed_at" } },
  created: { name: "Newest", query: { sort: "created_at" } },
  oldest: { name: "Oldest", query: { sort: "created_at", order: "asc" } },
  title: { name: "Title", query: { sort: "title" } },
} as const;

export type Sort = keyof typeof SORT_OPTIONS;

export type { TaskFilter };

export const TASK_FILTERS: readonly TaskFilter[] = ["open", "done", "any"];

/** In place of a folder id: documents without a folder. */
export const NO_FOLDER = "none";

/** Keys of tree rows that are not folders. */
export const ALL_KEY = "all";
export const TRASH_KEY = "trash";

export type DocumentsView = {
  view: "documents" | "trash";
  folder: string | undefined;
  tags: string[];
  tasks: TaskFilter | undefined;
  sort: Sort;
};

/** Whether a filter is set besides the folder. */
export const isFiltered = ({ tags, tasks }: DocumentsView) => tags.length > 0 || tasks !== undefined;

/** Parses a query string. Unknown values are ignored. */
export function parseDocumentsView(search: string): DocumentsView {
  const parameters = new URLSearchParams(search);
  const sort = parameters.get("sort") ?? "";
  return {
    view: parameters.get("view") === "trash" ? "trash" : "documents",
    folder: parameters.get("folder") || undefined,
    tags: [...new Set(parameters.getAll("tag"))],
    tasks: TASK_FILTERS.find((filter) => filter === parameters.get("tasks")),
    sort: Object.hasOwn(SORT_OPTIONS, sort) ? (sort as Sort) : "changed",
  };
}

/** The URL of a place, without default values. */
export function documentsUrl({ view, folder, tags, tasks, sort }: DocumentsView): string {
  const parameters = new URLSearchParams();
  if (view === "trash") parameters.set("view", "trash");
  if (folder) parameters.set("folder", folder);
  for (const tag of tags) parameters.append("tag", tag);
  if (tasks) parameters.set("tasks", tasks);
  if (sort !== "changed") parameters.set("sort", sort);
  return parameters.size > 0 ? `/documents?${parameters}` : "/documents";
}

/** The folder of documents created here. */
export const newDocumentFolder = ({ folder }: Pick<DocumentsView, "folder">) =>
  folder === NO_FOLDER ? undefined : folder;

export const newDocumentUrl = (place: DocumentsView) => {
  const folder = newDocumentFolder(place);
  return folder ? `/documents/new?folder=${folder}` : "/documents/new";
};

/** The API query for a place. */
export const documentsQuery = ({ folder, tags, tasks, sort }: DocumentsView): Partial<DocumentListQuery> => ({
  folder_id: folder,
  ...(tags.length > 0 && { tag: tags }),
  ...(tasks && { tasks }),
  ...SORT_OPTIONS[sort].query,
});
