import { tags } from "@lezer/highlight";
import styles from "./code.module.css";

/** Classes for the parts of rendered code. They match the colours of the editor (`code-theme.ts`). */
export const CODE_TAGS = [
  { tag: [tags.keyword, tags.tagName, tags.operatorKeyword], class: styles.keyword ?? "" },
  { tag: [tags.string, tags.regexp, tags.attributeValue], class: styles.string ?? "" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: styles.number ?? "" },
  {
    tag: [tags.typeName, tags.className, tags.definition(tags.function(tags.variableName))],
    class: styles.name ?? "",
  },
  { tag: tags.comment, class: styles.comment ?? "" },
];
