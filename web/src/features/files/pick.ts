/** `isCamera`: opens the camera of a phone. */
type Options = { isOne?: boolean; isCamera?: boolean };

/** Opens the file dialog. Resolves to an empty list if it is cancelled. */
export function pickFiles({ isOne = false, isCamera = false }: Options = {}): Promise<File[]> {
  const input = Object.assign(document.createElement("input"), {
    type: "file",
    multiple: !isOne && !isCamera,
    hidden: true,
    ...(isCamera && { accept: "image/*" }),
  });
  // Only mobile browsers have it as a property.
  if (isCamera) input.setAttribute("capture", "environment");
  // Safari garbage-collects inputs that are not attached.
  document.body.append(input);
  return new Promise((resolve) => {
    const end = () => {
      resolve([...(input.files ?? [])]);
      input.remove();
    };
    input.addEventListener("change", end);
    input.addEventListener("cancel", end);
    input.click();
  });
}
