/** Obsidian's id of a block, to which links lead: at the end of the block, or alone below it. With a space before it. */
export const BLOCK_ID = /(?:^|[ \t\n])\^([a-z\d-]+)[ \t]*$/i;
const IDS = new RegExp(BLOCK_ID, "gim");

/** A text whose lines do not end with ids of blocks. */
export const withoutBlockIds = (text: string): string => text.replace(IDS, "");
