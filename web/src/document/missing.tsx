import { useQuery } from "@tanstack/react-query";
import { documentsApi, type TrashItem, trashApi } from "../api.ts";
import { Screen } from "../layout/screen.tsx";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Actions } from "../parts/dialog.tsx";
import { attempt } from "../parts/document-actions.ts";
import { Empty, Loading } from "../parts/states.tsx";
import { Moment } from "../parts/time.tsx";
import { toast } from "../parts/toasts.tsx";
import { useMe } from "../queries.ts";

const PAGE = 100;
/** Who has more than this in the trash looks there. */
const PAGES = 5;

async function findInTrash(id: string): Promise<TrashItem | null> {
  for (let page = 0; page < PAGES; page++) {
    const { items, total } = await trashApi.list({ limit: PAGE, offset: page * PAGE });
    const found = items.find((item) => item.id === id);
    if (found || total <= (page + 1) * PAGE) return found ?? null;
  }
  return null;
}

const InTrash = ({ item }: { item: TrashItem }) => {
  const restore = () =>
    attempt(async () => {
      await documentsApi.restore(item.id);
      toast({ text: `“${item.title}” restored`, undo: () => attempt(() => documentsApi.remove(item.id)) });
    });
  return (
    <Screen title={item.title}>
      <Empty title="This document is in the trash">
        <p>
          It was put there <Moment at={item.trashed_at} />, and is erased 30 days after that.
        </p>
        <Actions>
          <ButtonLink href="/documents?view=trash">Show the trash</ButtonLink>
          <Button kind="primary" onPress={restore}>
            Restore it
          </Button>
        </Actions>
      </Empty>
    </Screen>
  );
};

/** What a link leads to when its document is not there. */
export function Missing({ id }: { id: string }) {
  const me = useMe();
  const trash = useQuery({ queryKey: ["trash", "find", id], queryFn: () => findInTrash(id) });
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
