const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** Formats a number of bytes: "12 MB". */
export function formatBytes(count: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(count, 1)) / 3), UNITS.length - 1);
  const format = new Intl.NumberFormat("en", {
    style: "unit",
    unit: UNITS[power] ?? "byte",
    unitDisplay: power === 0 ? "long" : "short",
    maximumFractionDigits: power > 1 ? 1 : 0,
  });
  return format.format(count / 1000 ** power);
}
