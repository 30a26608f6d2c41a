import { type ReactNode, useEffect, useState } from "react";

type View<Props> = (props: Props) => ReactNode;

/** `ask` prefetches the first data of the component. */
export type ComponentLoader<Props> = () => Promise<{ default: View<Props>; ask?: () => Promise<void> }>;

/** A component; `wait` is shown until its script has loaded. */
export type LazyComponent<Props> = View<Props & { wait: ReactNode }> & {
  /** Loads the script. Resolves when the first data is there. */
  preload: () => Promise<void>;
};

/**
 * A component whose script is loaded on first render. Unlike Suspense, which delays content by up to 300 ms after showing a
 * fallback, it renders as soon as the script is there. Throws the error if loading fails.
 */
export function lazyComponent<Props extends object>(load: ComponentLoader<Props>): LazyComponent<Props> {
  let View: View<Props> | undefined;
  const get = async () => {
    const { default: view, ask } = await load();
    View = view;
    return { answered: ask?.() };
  };
  const Lazy = ({ wait, ...props }: Props & { wait: ReactNode }) => {
    const [problem, setProblem] = useState<unknown>();
    const [isThere, setThere] = useState(View !== undefined);
    useEffect(() => {
      if (!isThere) get().then(() => setThere(true), setProblem);
    }, [isThere]);
    if (problem) throw problem;
    return View ? <View {...(props as unknown as Props)} /> : wait;
  };
  return Object.assign(Lazy, { preload: async () => (await get()).answered });
}
