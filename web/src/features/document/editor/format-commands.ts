export { insertLink, toggleInlineMark, toggleLineMarker } from "../format.ts";
export { insertTable } from "./blocks.ts";
export { indentItems, insertItemAbove, outdentItems } from "./list-commands.ts";
export { tickTasks } from "./tick-tasks.ts";
