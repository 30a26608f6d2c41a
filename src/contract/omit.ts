type WithoutUndefined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

export const omitUndefined = <Fields extends object>(fields: Fields): WithoutUndefined<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<Fields>;

/** A copy of an object without some of its fields. */
export const omit = <Fields extends object, Name extends keyof Fields>(fields: Fields, ...names: Name[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name as Name))) as Omit<
    Fields,
    Name
  >;
