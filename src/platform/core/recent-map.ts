export type RecentMap<Key, Value> = {
  get: (key: Key) => Value | undefined;
  set: (key: Key, value: Value) => void;
  forget: (key: Key) => void;
};

/** A map of at most `most` values that drops the one that was set longest ago. */
export function createRecentMap<Key, Value>(most: number): RecentMap<Key, Value> {
  const known = new Map<Key, Value>();
  return {
    get: (key) => known.get(key),
    forget: (key) => void known.delete(key),
    set: (key, value) => {
      known.delete(key);
      known.set(key, value);
      const [first] = known.keys();
      if (known.size > most && first !== undefined) known.delete(first);
    },
  };
}
