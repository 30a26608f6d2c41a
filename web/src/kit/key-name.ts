/** "⌘" on Apple's systems, "Ctrl " elsewhere. */
export const MOD = /Mac|iP(?:hone|ad|od)/u.test(navigator.userAgent) ? "⌘" : "Ctrl ";

/** A key with the modifier of this system: "mod+s" is ⌘S on Apple's systems and Ctrl S elsewhere. */
export const keyName = (key: string) => key.toUpperCase().replace(/^MOD[+-]/, MOD);
