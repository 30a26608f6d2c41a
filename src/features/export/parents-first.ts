type Child = { id: unknown; parent_id: unknown };

/** Rows in order, but each after its parent, or at the end if its parent is missing. Ids must be unique. */
export async function* parentsFirst<Row extends Child>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const yielded = new Set<unknown>([null]);
  const waiting = new Map<unknown, Row[]>();
  const withChildren = function* (row: Row) {
    const ready = [row];
    for (const next of ready) {
      if (yielded.has(next.id)) continue;
      yielded.add(next.id);
      yield next;
      for (const child of waiting.get(next.id) ?? []) ready.push(child);
      waiting.delete(next.id);
    }
  };
  for await (const row of rows) {
    const siblings = waiting.get(row.parent_id);
    if (yielded.has(row.parent_id)) yield* withChildren(row);
    else if (siblings) siblings.push(row);
    else waiting.set(row.parent_id, [row]);
  }
  // First rows whose parent is missing, then cycles.
  const left = [...waiting.values()].flat();
  const ids = new Set(left.map(({ id }) => id));
  for (const row of left) if (!ids.has(row.parent_id)) yield* withChildren(row);
  for (const row of left) yield* withChildren(row);
}
