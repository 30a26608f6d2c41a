import { IconButton } from "../../kit/button.tsx";
import { useMedia } from "../../kit/media.ts";
import { Camera, Paperclip } from "./icons.tsx";
import { useNoFiles } from "./known.ts";

/** The ways to add files to what is being written; a phone also takes photographs. */
export function AddFiles({ onAdd }: { onAdd: (isCamera?: boolean) => void }) {
  const isTouched = useMedia("(pointer: coarse)");
  if (useNoFiles()) return null;
  return (
    <>
      {isTouched && (
        <IconButton label="Take a photograph" onPress={() => onAdd(true)}>
          <Camera aria-hidden="true" />
        </IconButton>
      )}
      <IconButton label="Add pictures or files" onPress={() => onAdd()}>
        <Paperclip aria-hidden="true" />
      </IconButton>
    </>
  );
}
