/** A copy of an object without some of its properties. */
export const omit = <Value extends object, Name extends keyof Value>(
  value: Value,
  ...names: Name[]
): Omit<Value, Name> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name as Name))) as Omit<
    Value,
    Name
  >;
