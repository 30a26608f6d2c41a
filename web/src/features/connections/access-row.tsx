import type { ReactNode } from "react";
import { ButtonLink } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Row } from "../../kit/rows.tsx";
import { Moment } from "../../kit/time.tsx";

type Props = {
  id: string;
  name: string;
  facts: ReactNode;
  usedAt: string | null;
  /** Facts after when it was last used. */
  more?: ReactNode;
  /** The question before access ends, what then happens, and the name of the button. */
  end: { title: string; text: string; verb: string; act: () => Promise<unknown> };
};

/** What has access to the account, with its changes and a way to end it. */
export const AccessRow = ({ id, name, facts, usedAt, more, end }: Props) => (
  <Row
    title={name}
    facts={
      <>
        {facts}
        {" · "}
        {usedAt ? (
          <>
            last used <Moment at={usedAt} />
          </>
        ) : (
          "never used"
        )}
        {more}
      </>
    }
    actions={
      <>
        <ButtonLink
          kind="quiet"
          aria-label={`Changes by ${name}`}
          href={`/activity?client=${encodeURIComponent(id)}`}
        >
          Changes
        </ButtonLink>
        <ConfirmButton {...end} aria-label={`${end.verb} ${name}`}>
          {end.verb}
        </ConfirmButton>
      </>
    }
  />
);
