import { IconButton } from "../../kit/button.tsx";
import { useMedia } from "../../kit/media.ts";
import { useFilesUnavailable } from "./file-queries.ts";
import { Camera, Paperclip } from "./icons.tsx";

/** Buttons that add files to the text being edited; touch devices can also take a photo. */
export function EditorFileButtons({ onAdd }: { onAdd: (isCamera?: boolean) => void }) {
  const isTouched = useMedia("(pointer: coarse)");
  if (useFilesUnavailable()) return null;
  return (
    <>
      {isTouched && (
        <IconButton label="Take a photo" onPress={() => onAdd(true)}>
          <Camera aria-hidden="true" />
        </IconButton>
      )}
      <IconButton label="Add pictures or files" onPress={() => onAdd()}>
        <Paperclip aria-hidden="true" />
      </IconButton>
    </>
  );
}
