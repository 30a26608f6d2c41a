import type { Import } from "../../api/import.ts";
import styles from "./transfer.module.css";

const KINDS = [
  { key: "documents", name: "Documents" },
  { key: "document_versions", name: "Versions" },
  { key: "folders", name: "Folders" },
  { key: "memories", name: "Records" },
  { key: "memory_events", name: "Events" },
  { key: "files", name: "Files" },
  { key: "attachments", name: "Attachments" },
  { key: "kept_findings", name: "Kept in Tidy" },
  { key: "settings", name: "Settings" },
] as const;

/** How many items that could not be stored are listed. */
const MAX_LISTED = 20;

/** The number of lines that were, or would be, created or overwritten. */
export const countWrites = (result: Import) =>
  KINDS.reduce((sum, { key }) => sum + result[key].created + result[key].overwritten, 0);

const Cell = ({ count }: { count: number }) => (
  <td className={count === 0 ? styles.zero : undefined}>{count.toLocaleString("en")}</td>
);

/** The counts of an import or its preview. Files are uploaded before the lines, so afterwards they are not listed. */
export const CountsTable = ({ result, isDone }: { result: Import; isDone: boolean }) => (
  <table className={styles.counts}>
    <caption className="visually-hidden">{isDone ? "What was imported" : "What will be imported"}</caption>
    <thead>
      <tr>
        <th scope="col">Kind</th>
        <th scope="col">New</th>
        <th scope="col">Replaced</th>
        <th scope="col">Skipped</th>
      </tr>
    </thead>
    <tbody>
      {KINDS.filter(({ key }) => !isDone || key !== "files").map(({ key, name }) => (
        <tr key={key}>
          <th scope="row">{name}</th>
          <Cell count={result[key].created} />
          <Cell count={result[key].overwritten} />
          <Cell count={result[key].skipped} />
        </tr>
      ))}
    </tbody>
  </table>
);

/** The items that exceed the plan. */
export const NotStoredList = ({ result: { not_stored } }: { result: Import }) =>
  not_stored.total === 0 ? null : (
    <div role="alert">
      <p>
        {not_stored.total.toLocaleString("en")} could not be stored. {not_stored.items[0]?.detail}
      </p>
      <ul>
        {not_stored.items.slice(0, MAX_LISTED).map(({ type, id, title }) => (
          <li key={`${type} ${id} ${title}`}>{title}</li>
        ))}
        {not_stored.total > MAX_LISTED && (
          <li>… and {(not_stored.total - MAX_LISTED).toLocaleString("en")} more</li>
        )}
      </ul>
    </div>
  );
