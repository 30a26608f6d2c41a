/** A map of at most `most` values that drops the one that was set longest ago. */
export function createRecentMap<Key, Value>(most: number) {
  const known = new Map<Key, Value>();
  return {
    get: (key: Key) => known.get(key),
    forget: (key: Key) => void known.delete(key),
    set: (key: Key, value: Value) => {
      known.delete(key);
      known.set(key, value);
      const [first] = known.keys();
      if (known.size > most && first !== undefined) known.delete(first);
    },
  };
}

export type RecentMap<Key, Value> = ReturnType<typeof createRecentMap<Key, Value>>;
