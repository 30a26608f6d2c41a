import { Screen } from "../layout/screen.tsx";

export default function RecordPage({ id }: { id: number }) {
  return <Screen title="Record">{id}</Screen>;
}
