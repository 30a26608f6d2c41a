export { insertLink, toggleInlineMark, toggleLineMarker } from "../format.ts";
export { insertTable } from "./blocks.ts";
