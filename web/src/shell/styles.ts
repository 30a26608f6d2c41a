const styleLoaded = (link: HTMLLinkElement) =>
  new Promise((resolve) => {
    if (link.sheet) return resolve(undefined);
    for (const end of ["load", "error"]) link.addEventListener(end, resolve, { once: true });
  });

/** Resolves when the style sheets requested by the early script (early.ts) have loaded or failed. */
export const earlyStylesLoaded = () =>
  Promise.all([...document.querySelectorAll<HTMLLinkElement>("link[data-early]")].map(styleLoaded));
