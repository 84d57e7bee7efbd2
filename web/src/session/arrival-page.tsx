import { useState } from "react";
import { NotFoundPage } from "../ui/not-found.tsx";
import { ExternalArrival } from "./external-return.tsx";
import { arrived } from "./external.ts";

/** Completes a return from an identity provider; its one-time values never stand in this page's address. */
export function ArrivalPage() {
  const [outcome] = useState(arrived);
  if (outcome?.kind !== "ticket" && outcome?.kind !== "needsInvite") return <NotFoundPage />;
  return <ExternalArrival outcome={outcome} />;
}
