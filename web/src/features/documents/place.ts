import type { DocumentListQuery, TaskFilter } from "../../../../src/contract/document.ts";

// What the screen shows, as its address says it.

export const SORTS = {
  changed: { name: "Last changed", query: { sort: "changed_at" } },
  created: { name: "Newest", query: { sort: "created_at" } },
  oldest: { name: "Oldest", query: { sort: "created_at", order: "asc" } },
  title: { name: "Title", query: { sort: "title" } },
} as const;

export type Sort = keyof typeof SORTS;

export type { TaskFilter };

/** Which tasks documents may have: an open one, only done ones, any. */
export const TASKS: Record<TaskFilter, string> = { open: "open", done: "done", any: "any" };

/** Stands for a folder's id: the documents that are in none. */
export const NO_FOLDER = "none";

/** The rows of the folder tree that are not folders. */
export const ALL = "all";
export const TRASH = "trash";

export type Place = {
  view: "documents" | "trash";
  folder: string | undefined;
  tags: string[];
  tasks: TaskFilter | undefined;
  sort: Sort;
};

/** Whether less than what is in the folder is shown. */
export const isFiltered = ({ tags, tasks }: Place) => tags.length > 0 || tasks !== undefined;

/** The place that a query string names; what it does not know in it is left out. */
export function placeOf(search: string): Place {
  const parameters = new URLSearchParams(search);
  const sort = parameters.get("sort") ?? "";
  const tasks = parameters.get("tasks") ?? "";
  return {
    view: parameters.get("view") === "trash" ? "trash" : "documents",
    folder: parameters.get("folder") || undefined,
    tags: [...new Set(parameters.getAll("tag"))],
    tasks: Object.hasOwn(TASKS, tasks) ? (tasks as TaskFilter) : undefined,
    sort: Object.hasOwn(SORTS, sort) ? (sort as Sort) : "changed",
  };
}

/** The address of a place, without what is so by default. */
export function addressOf({ view, folder, tags, tasks, sort }: Place): string {
  const parameters = new URLSearchParams();
  if (view === "trash") parameters.set("view", "trash");
  if (folder) parameters.set("folder", folder);
  for (const tag of tags) parameters.append("tag", tag);
  if (tasks) parameters.set("tasks", tasks);
  if (sort !== "changed") parameters.set("sort", sort);
  return parameters.size > 0 ? `/documents?${parameters}` : "/documents";
}

/** The folder of what is written or dropped here. */
export const folderIn = ({ folder }: Pick<Place, "folder">) => (folder === NO_FOLDER ? undefined : folder);

/** Where a document is written that will be here. */
export const newAddress = (place: Place) => {
  const folder = folderIn(place);
  return folder ? `/documents/new?folder=${folder}` : "/documents/new";
};

/** What the API is asked for. */
export const queryOf = ({ folder, tags, tasks, sort }: Place): Partial<DocumentListQuery> => ({
  folder_id: folder,
  ...(tags.length > 0 && { tag: tags }),
  ...(tasks && { tasks }),
  ...SORTS[sort].query,
});
