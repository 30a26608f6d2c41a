import { useLayoutEffect, useRef } from "react";

type Props = {
  className: string | undefined;
  /** Fills the shadow root, and returns a cleanup function. */
  mount: (root: ShadowRoot) => () => void;
};

/**
 * A shadow root for CodeMirror, in which it adopts its styles as style sheets. Elsewhere it would write an inline style
 * element, which the Content-Security-Policy forbids. It is filled once, in a layout effect, so that no key is lost while
 * nothing has the focus.
 */
export function ShadowHost({ className, mount }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const first = useRef(mount);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    return first.current(host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" }));
  }, []);
  return <div ref={host} className={className} />;
}
