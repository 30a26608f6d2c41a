/** The parameters of a request; those that are undefined are left out, and a list is repeated. */
export type Asked = Record<string, string | number | boolean | readonly string[] | undefined>;

/** The path of a request with its parameters. */
export function addressOf(path: string, query: Asked = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}
