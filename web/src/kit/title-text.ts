export { LINE_MARKS, lineText, titleText } from "../../../src/shared/markdown/line-text.ts";
