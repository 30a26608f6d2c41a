import type { ReactNode } from "react";

/** The key that does the same as the control it is in. For the eye: in a name that is read aloud it would be a loose letter. */
export const Key = ({ className, children }: { className?: string | undefined; children: ReactNode }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it is not focusable
  <kbd aria-hidden="true" className={className}>
    {children}
  </kbd>
);
