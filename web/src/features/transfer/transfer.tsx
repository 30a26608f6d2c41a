import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Loading } from "../../kit/states.tsx";
import { useMe } from "../../state/queries.ts";
import { ExportSection } from "./export.tsx";
import { ImportSection } from "./import-section.tsx";
import styles from "./transfer.module.css";

export default function Transfer() {
  const me = useMe();
  return (
    <Screen
      title="Import and export"
      back={BACK_TO_SETTINGS}
      lead="Your data is yours: bring it in, take it out."
    >
      {me ? (
        <div className={styles.column}>
          <ImportSection />
          <ExportSection />
        </div>
      ) : (
        <Loading />
      )}
    </Screen>
  );
}
