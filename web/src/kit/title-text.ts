export { lineText, titleText } from "../../../src/shared/markdown/line-text.ts";
