import type { ReactNode } from "react";

/** The equivalent key of a control. Hidden from screen readers, which would read it as a stray letter of the label. */
export const Key = ({ className, children }: { className?: string | undefined; children: ReactNode }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it is not focusable
  <kbd aria-hidden="true" className={className}>
    {children}
  </kbd>
);
