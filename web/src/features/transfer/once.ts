import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { randomId } from "../../api/random-id.ts";

/** Whatever becomes of it, it is done once for each time that it is shown. */
export function useOnce<Result>(name: string, read: (signal: AbortSignal) => Promise<Result>) {
  const [id] = useState(randomId);
  return useQuery({
    queryKey: [name, id],
    queryFn: ({ signal }) => read(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
}
