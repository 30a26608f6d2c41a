import { Screen } from "../layout/screen.tsx";

export default function Document({ id }: { id: string }) {
  return <Screen title="Document">{id}</Screen>;
}
