export const UNCHANGED_REASON = "already there and unchanged";

export function tallyReasons(reasons: readonly string[]): string {
  return [...Map.groupBy(reasons, (reason) => reason)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, { length }]) => `${length} ${reason}`)
    .join(", ");
}
