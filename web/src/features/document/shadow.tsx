import { useLayoutEffect, useRef } from "react";

type Props = {
  className: string | undefined;
  /** Fills the root, and answers what empties it. */
  mount: (root: ShadowRoot) => () => void;
};

/**
 * A place for an editor. CodeMirror brings its styles along: in a shadow root it adopts them as style sheets, elsewhere it
 * would write an inline style element, which the Content-Security-Policy forbids. It is filled once, before
 * the next key is pressed: what is typed while nothing has the focus is lost.
 */
export function Shadow({ className, mount }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const first = useRef(mount);
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    return first.current(host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" }));
  }, []);
  return <div ref={host} className={className} />;
}
