export { lineText, titleText } from "../../../src/contract/markdown/line-text.ts";
