import { type ReactNode, useEffect, useState } from "react";

type View<Props> = (props: Props) => ReactNode;

/** `ask` asks for what is shown first, before it is rendered. */
export type Load<Props> = () => Promise<{ default: View<Props>; ask?: () => Promise<void> }>;

/** A component; `wait` is shown until its script is there. */
export type Loaded<Props> = View<Props & { wait: ReactNode }> & {
  /** Loads its script. Resolves when what it shows first is answered. */
  begin: () => Promise<void>;
};

/**
 * A component whose script is loaded when it is shown for the first time. It is shown as soon as it is there, where Suspense
 * would hold it back for 300 ms after its fallback. Throws what kept the script from being loaded.
 */
export function loaded<Props extends object>(load: Load<Props>): Loaded<Props> {
  let View: View<Props> | undefined;
  const get = async () => {
    const { default: view, ask } = await load();
    View = view;
    return { answered: ask?.() };
  };
  const Later = ({ wait, ...props }: Props & { wait: ReactNode }) => {
    const [problem, setProblem] = useState<unknown>();
    const [isThere, setThere] = useState(View !== undefined);
    useEffect(() => {
      if (!isThere) get().then(() => setThere(true), setProblem);
    }, [isThere]);
    if (problem) throw problem;
    return View ? <View {...(props as unknown as Props)} /> : wait;
  };
  return Object.assign(Later, { begin: async () => (await get()).answered });
}
