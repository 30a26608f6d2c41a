/** "⌘" on Apple systems, "Ctrl " elsewhere. */
export const MOD_KEY = /Mac|iP(?:hone|ad|od)/u.test(navigator.userAgent) ? "⌘" : "Ctrl ";

/** "mod+s" → "⌘S" on Apple systems, "Ctrl S" elsewhere */
export const keyName = (key: string) => key.toUpperCase().replace(/^MOD[+-]/, MOD_KEY);
