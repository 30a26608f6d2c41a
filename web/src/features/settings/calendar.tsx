import { useState } from "react";
import { dashboardApi } from "../../api/dashboard.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { CopyText } from "../../kit/copy.tsx";
import { Section } from "../../kit/section.tsx";
import { useSaving } from "./saving.ts";
import styles from "./settings.module.css";

/** The secret address under which a calendar shows the due dates. */
export function Calendar() {
  const [url, setUrl] = useState<string>();
  const { isBusy, problem, run } = useSaving("The address is ready");
  const create = () => run(async () => setUrl((await dashboardApi.createCalendar()).url));
  return (
    <Section
      id="calendar"
      title="Calendar"
      lead="Subscribe to your due dates in any calendar. Whoever has the address sees them; a new address ends the old one."
    >
      {url && <CopyText label="the calendar's address" text={url} />}
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={styles.buttons}>
        <Button onPress={create} isDisabled={isBusy}>
          Create a new address
        </Button>
        <ConfirmButton
          title="Revoke the calendar's address?"
          text="Calendars that subscribed to it stop receiving your due dates."
          verb="Revoke"
          act={async () => {
            await dashboardApi.revokeCalendar();
            setUrl(undefined);
          }}
        >
          Revoke the address
        </ConfirmButton>
      </div>
    </Section>
  );
}
