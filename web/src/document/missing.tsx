import { Screen } from "../layout/screen.tsx";
import { ButtonLink } from "../parts/button.tsx";
import { Actions } from "../parts/dialog.tsx";
import { InTrash, useTrashed } from "../parts/in-trash.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import { useMe } from "../queries.ts";

/** What a link leads to when its document is not there. */
export function Missing({ id }: { id: string }) {
  const me = useMe();
  const trash = useTrashed("documents", id);
  if (trash.isPending) return <Loading />;
  if (trash.data) return <InTrash item={trash.data} />;
  return (
    <Screen title="Document not found">
      <Empty title={`This document is not in the account ${me?.email ?? ""}`}>
        <p>It may belong to another account, or it was deleted.</p>
        <Actions>
          <ButtonLink href={`/sign-in?to=${encodeURIComponent(`/documents/${id}`)}`}>
            Use another account
          </ButtonLink>
          <ButtonLink href="/documents?view=trash">Look in the trash</ButtonLink>
          <ButtonLink href="/documents" kind="primary">
            Show all documents
          </ButtonLink>
        </Actions>
      </Empty>
    </Screen>
  );
}
