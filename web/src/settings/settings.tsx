import { Screen } from "../layout/screen.tsx";
import { ButtonLink } from "../parts/button.tsx";
import { Loading } from "../parts/states.tsx";
import { useMe } from "../queries.ts";
import { Appearance } from "./appearance.tsx";
import { Calendar } from "./calendar.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { Reminders } from "./reminders.tsx";
import { Sessions } from "./sessions.tsx";
import styles from "./settings.module.css";

const Elsewhere = () => (
  <nav aria-label="More settings">
    <div className={styles.buttons}>
      <ButtonLink href="/settings/connections">Connections and API keys</ButtonLink>
      <ButtonLink href="/settings/webhooks">Webhooks</ButtonLink>
      <ButtonLink href="/settings/transfer">Import and export</ButtonLink>
      <ButtonLink href="/history">History</ButtonLink>
      <ButtonLink href="/docs" target="_blank">
        API reference
      </ButtonLink>
    </div>
  </nav>
);

export default function Settings() {
  const me = useMe();
  return (
    <Screen title="Settings" lead={me?.email}>
      {me ? (
        <div className={styles.column}>
          <Elsewhere />
          <Profile me={me} />
          <Appearance />
          <Reminders />
          <Calendar />
          <Sessions />
          <Password />
          <DeleteAccount me={me} />
        </div>
      ) : (
        <Loading />
      )}
    </Screen>
  );
}
