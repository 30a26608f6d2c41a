import { useEffect } from "react";
import { useLocation, useSearch } from "wouter";
import { LoadingScreen } from "../../kit/screen.tsx";
import { sharedDocument } from "./shared.ts";

/** Opens a new document with the content shared by another app. It is not saved yet. */
export default function Share() {
  const [, navigate] = useLocation();
  const shared = useSearch();
  useEffect(() => {
    const { title, text } = sharedDocument(new URLSearchParams(shared));
    navigate(`/documents/new?${new URLSearchParams({ title, text })}`, { replace: true });
  }, [shared, navigate]);
  return <LoadingScreen />;
}
