import { useEffect, useRef } from "react";
import { Button } from "../../kit/button.tsx";

/** Rows are requested this long before they come into sight. */
const AHEAD = "100% 0px";

type Props = {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
  /** What the button says, for people who do not scroll and after an error. */
  more: string;
};

/** The end of a list that goes on: it loads the next rows when it comes near. */
export function MoreOnScroll({ hasNextPage, isFetchingNextPage, isFetchNextPageError, ...props }: Props) {
  const { isFetching, fetchNextPage, more } = props;
  const end = useRef<HTMLDivElement>(null);
  // Reading the list again would cancel the request for a page, and the end that is still in sight is not announced again.
  const mayLoad = hasNextPage && !isFetching && !isFetchNextPageError;
  const load = useRef(fetchNextPage);
  load.current = fetchNextPage;
  useEffect(() => {
    if (!mayLoad || !end.current || !globalThis.IntersectionObserver) return undefined;
    // A new observer for each page: the end may still be in sight after one.
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && void load.current(),
      { rootMargin: AHEAD },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [mayLoad]);
  if (!hasNextPage) return null;
  return (
    <div ref={end}>
      <Button onPress={() => void fetchNextPage()} isDisabled={isFetchingNextPage}>
        {isFetchingNextPage ? "Loading…" : more}
      </Button>
    </div>
  );
}
