const IS_APPLE = /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** A key with the modifier of this system: "mod+s" is ⌘S on Apple's systems and Ctrl S elsewhere. */
export const keyName = (key: string) => key.toUpperCase().replace(/^MOD[+-]/, IS_APPLE ? "⌘" : "Ctrl ");
