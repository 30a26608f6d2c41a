type Value = string | null | undefined;

/** Missing values come last in both directions. */
export const compareValues = (one: Value, other: Value, isDescending: boolean): number => {
  if (!one || !other) return Number(!one) - Number(!other);
  return (isDescending ? -1 : 1) * one.localeCompare(other);
};
