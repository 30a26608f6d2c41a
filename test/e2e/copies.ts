import type { Page } from "playwright-core";

/** What the databases of a browser hold of the API: as it is stored, and what can be read of it with the key beside it. */
export type Copies = { names: string[]; stored: string; readable: string };

const COPIES = `(async () => {
  const of = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
  const all = (await indexedDB.databases()).map(({ name }) => name);
  const read = async (name, store, how) => {
    if (!all.includes(name)) return [];
    const database = await of(indexedDB.open(name));
    const rows = await of(database.transaction(store).objectStore(store)[how]());
    database.close();
    return rows;
  };
  const names = await read("commonplace-copies", "answers", "getAllKeys");
  const rows = await read("commonplace-copies", "answers", "getAll");
  const [key] = await read("commonplace-copies-key", "key", "getAll");
  const textOf = (data) => new TextDecoder("latin1").decode(data);
  const open = async ({ iv, data }) => {
    if (!key || !data) return "";
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, data));
  };
  return {
    names,
    stored: rows.map((row) => row.data ? textOf(row.data) : JSON.stringify(row)).join("\\n"),
    readable: (await Promise.all(rows.map(open))).join("\\n"),
  };
})()`;

export const copiesIn = (page: Page) => page.evaluate<Copies>(COPIES);

/** What a database of the browser holds. */
export const stored = <Row>(
  page: Page,
  database: string,
  store: string,
  how: "getAll" | "getAllKeys" = "getAll",
): Promise<Row[]> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const opening = indexedDB.open("${database}");
    opening.onerror = reject;
    opening.onsuccess = () => {
      const reading = opening.result.transaction("${store}").objectStore("${store}").${how}();
      reading.onsuccess = () => {
        opening.result.close();
        resolve(reading.result);
      };
    };
  })`);
