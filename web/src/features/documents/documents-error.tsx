import { isApiError } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { Empty, Problem } from "../../kit/states.tsx";
import { type DocumentsView, parseDocumentsView } from "./view.ts";

type ErrorProps = { problem: Error; retry: () => void; go: (place: DocumentsView) => void };

export const DocumentsError = ({ problem, retry, go }: ErrorProps) =>
  isApiError(problem, 404, 422) ? (
    <Empty title="This folder doesn’t exist">
      <p>It may have been deleted, or it belongs to another account.</p>
      <Button onPress={() => go(parseDocumentsView(""))}>Show all documents</Button>
    </Empty>
  ) : (
    <Problem problem={problem} retry={retry} />
  );
