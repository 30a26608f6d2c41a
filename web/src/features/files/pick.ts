/** `isCamera`: a phone takes a photograph. */
type Options = { isOne?: boolean; isCamera?: boolean };

/** Lets somebody choose files. Resolves with none if they think better of it. */
export function pickFiles({ isOne = false, isCamera = false }: Options = {}): Promise<File[]> {
  const input = Object.assign(document.createElement("input"), {
    ...{ type: "file", multiple: !isOne && !isCamera, hidden: true },
    ...(isCamera && { accept: "image/*" }),
  });
  // Only browsers with a camera know it as a property.
  if (isCamera) input.setAttribute("capture", "environment");
  // Safari forgets what is not on the page.
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
