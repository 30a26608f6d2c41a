const isThere = (link: HTMLLinkElement) =>
  new Promise((resolve) => {
    if (link.sheet) return resolve(undefined);
    for (const end of ["load", "error"]) link.addEventListener(end, resolve, { once: true });
  });

/** Resolves when the styles that the early script has asked for (early.ts) are there, or cannot be loaded. */
export const earlyStyles = () =>
  Promise.all([...document.querySelectorAll<HTMLLinkElement>("link[data-early]")].map(isThere));
