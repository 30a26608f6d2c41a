import { useLayoutEffect, useRef } from "react";

type Props = {
  className: string | undefined;
  /** Fills the shadow root, and returns a cleanup function. */
  mount: (root: ShadowRoot) => () => void;
};

/** A shadow root for CodeMirror (see editor/create-editor.ts), which is filled once. */
export function ShadowHost({ className, mount }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const first = useRef(mount);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    return first.current(host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" }));
  }, []);
  return <div ref={host} className={className} />;
}
