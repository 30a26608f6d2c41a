import { groupBySize } from "../../platform/core/group-by-size.ts";

/** Bytes per database call, unless a single row is larger. */
export const GROUP_BYTES = 2 * 1024 * 1024;
const MEASURED_AT_ONCE = 5000;

/** All rows, page by page. `read` returns up to `size` rows after `last`; fewer are the last page. */
export async function* readPages<Row>(
  size: number,
  read: (last: Row | undefined) => PromiseLike<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last);
    yield rows;
    last = rows.at(-1);
    if (!last || rows.length < size) return;
  }
}

/** All rows in groups that fit into memory. `read` returns up to `limit` rows after `last`, with their sizes. */
export async function* readGroups<Row extends { bytes: number }>(
  read: (last: Row | undefined, limit: number) => PromiseLike<Row[]>,
): AsyncGenerator<Row[]> {
  for await (const rows of readPages<Row>(MEASURED_AT_ONCE, (last) => read(last, MEASURED_AT_ONCE)))
    yield* groupBySize(rows, ({ bytes }) => bytes, GROUP_BYTES);
}
