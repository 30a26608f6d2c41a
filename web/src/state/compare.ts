type Value = string | null | undefined;

/** What is without a value comes last, whichever way it is sorted. */
export const compare = (one: Value, other: Value, isDescending: boolean): number => {
  if (!one || !other) return Number(!one) - Number(!other);
  return (isDescending ? -1 : 1) * one.localeCompare(other);
};
