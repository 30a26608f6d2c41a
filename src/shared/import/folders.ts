import type { Folder, FolderList } from "../../contract/folder.ts";
import { normalizeName } from "../../contract/name-key.ts";
import { type ApiClient, RequestRejectedError } from "./client.ts";

const PAGE = 1000;

/** Equal for two paths of the same folder. */
export const folderPathKey = (names: readonly string[]) => JSON.stringify(names.map(normalizeName));

async function listFolders(client: ApiClient): Promise<Folder[]> {
  const folders: Folder[] = [];
  for (;;) {
    const path = `/api/folders?limit=${PAGE}&offset=${folders.length}`;
    const { items } = await client.send<FolderList>({ method: "GET", path });
    folders.push(...items);
    if (items.length < PAGE) return folders;
  }
}

const startsWith = (path: string[], start: string[]) => start.every((name, index) => path[index] === name);

/** The folders of an account by path, which is the names from the root. The id of the root is null. */
export class FolderTree {
  readonly counts: Map<string, number>;
  private readonly paths = new Map<string, string[]>();
  /** Ids by path; reset when a path changes. */
  private ids: Map<string, string> | undefined;

  constructor(folders: Folder[]) {
    // Folders may share a name: a path then means the oldest one.
    const oldestFirst = folders.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
    const byId = new Map(folders.map((folder) => [folder.id, folder]));
    const pathOf = (id: string | null): string[] => {
      const folder = id === null ? undefined : byId.get(id);
      return folder ? [...pathOf(folder.parent_id), normalizeName(folder.name)] : [];
    };
    for (const { id } of oldestFirst) this.paths.set(id, pathOf(id));
    this.counts = new Map(folders.map(({ id, document_count }) => [id, document_count]));
  }

  static async read(client: ApiClient): Promise<FolderTree> {
    return new FolderTree(await listFolders(client));
  }

  entries = (): [id: string, path: string[]][] => [...this.paths];

  pathOf = (id: string | null): string[] => (id === null ? [] : (this.paths.get(id) ?? []));

  idOf(names: string[]): string | null | undefined {
    if (names.length === 0) return null;
    this.ids ??= new Map(
      this.entries()
        .map(([id, path]): [string, string] => [folderPathKey(path), id])
        .reverse(),
    );
    return this.ids.get(folderPathKey(names));
  }

  isBelow = (id: string | null, start: string[]): boolean => startsWith(this.pathOf(id), start);

  setPath(id: string, to: string[]): void {
    this.ids = undefined;
    const from = this.paths.get(id);
    if (!from) this.paths.set(id, to);
    else
      for (const [other, path] of this.entries())
        if (startsWith(path, from)) this.paths.set(other, [...to, ...path.slice(from.length)]);
  }
}

/** `keyFor` returns the Idempotency-Key for creating a folder. */
export function folderWriter(
  client: ApiClient,
  tree: FolderTree,
  keyFor: (names: string[]) => string = () => crypto.randomUUID(),
) {
  const ensure = async (names: string[]): Promise<string | null> => {
    const known = tree.idOf(names);
    if (known !== undefined) return known;
    const parent_id = await ensure(names.slice(0, -1));
    const { id } = await client.send<Folder>({
      method: "POST",
      path: "/api/folders",
      headers: { "Idempotency-Key": keyFor(names), "X-Source-Type": "import" },
      body: { name: normalizeName(names.at(-1) ?? ""), parent_id },
    });
    tree.setPath(id, names);
    return id;
  };
  return {
    ensure,
    rename: async (id: string, names: string[]) => {
      const body = { name: names.at(-1), parent_id: await ensure(names.slice(0, -1)) };
      await client.send({ method: "PUT", path: `/api/folders/${id}`, body });
    },
    /** Deletes an empty folder. A folder that is no longer empty stays. */
    remove: async (id: string) => {
      try {
        await client.send({ method: "DELETE", path: `/api/folders/${id}` });
      } catch (problem) {
        if (!(problem instanceof RequestRejectedError)) throw problem;
      }
    },
  };
}
