import { type ReactNode, useMemo } from "react";
import { type FieldValues, frontMatterProperties } from "../../../../../src/shared/files/content.ts";
import type { Document } from "../../../api/documents.ts";
import { FieldList } from "../fields.tsx";
import { hasAny, writingOf } from "../writing.ts";
import { readFrontMatter, type UnreadableFrontMatter, withoutFrontMatter } from "./front-matter.ts";
import styles from "./properties.module.css";
import { PropertyRows } from "./rows.tsx";
import { changeProperty } from "./write.ts";

/** Whether a property is being added. */
export type AddingProperty = { isAdding: boolean; setAdding: (isAdding: boolean) => void };

const Source = ({ problem, source }: UnreadableFrontMatter) => (
  <>
    <p className={styles.notice} role="note" data-apart>
      The front matter can’t be read. {problem}
    </p>
    <pre className={styles.source}>{source}</pre>
  </>
);

/** Drops what an export of the service adds to front matter for a later import. */
const withoutExportNotes = ({ commonplace: _, ...fields }: FieldValues): FieldValues => fields;

/** The properties beside the text and in its front matter. A new one is added to the front matter, if there is any. */
function propertyParts(
  beside: FieldValues,
  inText: FieldValues | undefined,
  adding: AddingProperty | undefined,
) {
  const parts = [
    { location: "beside" as const, fields: beside, isFirst: inText === undefined },
    { location: "text" as const, fields: inText ?? {}, isFirst: inText !== undefined },
  ];
  return parts
    .map(({ isFirst, ...part }) => ({
      ...part,
      adding: adding && { ...adding, isAdding: isFirst && adding.isAdding },
    }))
    .filter((part) => hasAny(part.fields) || part.adding?.isAdding);
}

type Props = {
  document: Document;
  adding: AddingProperty | undefined;
  /** Called with the text with its front matter blanked out, so that offsets stay the same. */
  children: (text: string) => ReactNode;
};

/** The properties of a document, stored beside its text or in its front matter, and the text. */
export default function Properties({ document, adding, children }: Props) {
  const { kind, text } = writingOf(document.content);
  const frontMatter = useMemo(() => (kind === "markdown" ? readFrontMatter(text) : undefined), [kind, text]);
  const inText = frontMatter?.fields && withoutExportNotes(frontMatter.fields);
  const parts = propertyParts(frontMatterProperties(document.content), inText, adding);
  return (
    <>
      {(parts.length > 0 || frontMatter?.source !== undefined) && (
        <section className={styles.properties} aria-label="Properties">
          {parts.map(({ location, fields, adding: addingHere }) => (
            <div key={location} data-apart>
              {addingHere ? (
                <PropertyRows
                  fields={fields}
                  location={location}
                  {...addingHere}
                  onChange={(change) => void changeProperty(document, location, change)}
                />
              ) : (
                <FieldList fields={fields} />
              )}
            </div>
          ))}
          {frontMatter?.source !== undefined && <Source {...frontMatter} />}
        </section>
      )}
      {children(frontMatter ? withoutFrontMatter(text) : text)}
    </>
  );
}
