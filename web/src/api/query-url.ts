/** Query parameters of a request. Undefined ones are left out, lists are repeated. */
export type QueryParameters = Record<string, string | number | boolean | readonly string[] | undefined>;

export function urlWithQuery(path: string, query: QueryParameters = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}
