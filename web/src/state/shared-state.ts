import { useSyncExternalStore } from "react";

/** A value shared by components. `use` is a hook that rerenders when the value is replaced. */
export function createSharedState<Value>(first: Value) {
  let value = first;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = () => value;
  const set = (next: Value): void => {
    if (Object.is(value, next)) return;
    value = next;
    for (const listener of listeners) listener();
  };
  return { get, set, use: (): Value => useSyncExternalStore(subscribe, get) };
}
