import type { Folder, FolderList } from "../../src/folders/schema.ts";
import { type Client, Unanswered } from "./client.ts";

const PAGE = 1000;
const ATTEMPTS = 5;

/** Finds a folder by name and parent, or undefined. Of several the oldest. */
async function findFolder(client: Client, name: string, parent: string | null): Promise<string | undefined> {
  for (let offset = 0; ; offset += PAGE) {
    const query = `parent_id=${parent ?? "none"}&limit=${PAGE}&offset=${offset}`;
    const { items } = await client.send<FolderList>({ method: "GET", path: `/api/folders?${query}` });
    const found = items.find((folder) => folder.name === name);
    if (found) return found.id;
    if (items.length < PAGE) return undefined;
  }
}

/** Finds a folder or makes it. Two of a name are allowed, so after a lost answer it looks again before it makes one. */
async function findOrCreate(client: Client, name: string, parent: string | null): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const found = await findFolder(client, name, parent);
    if (found) return found;
    try {
      const body = { name, parent_id: parent };
      return (await client.send<Folder>({ method: "POST", path: "/api/folders", body, once: true })).id;
    } catch (problem) {
      if (!(problem instanceof Unanswered) || attempt === ATTEMPTS) throw problem;
    }
  }
}

/** Answers the id of a folder path, making what is not there; null for the top. Each folder is looked up once. */
export function folderFinder(client: Client): (names: string[]) => Promise<string | null> {
  const known = new Map<string, Promise<string>>();
  const find = async (names: string[]): Promise<string | null> => {
    const name = names.at(-1)?.trim();
    if (name === undefined) return null;
    const key = JSON.stringify(names);
    let folder = known.get(key);
    if (!folder) {
      folder = find(names.slice(0, -1)).then((parent) => findOrCreate(client, name, parent));
      known.set(key, folder);
    }
    return folder;
  };
  return find;
}
