import { useNavigate, useSearch } from "@tanstack/react-router";
import { Page } from "../ui/page.tsx";
import { requestsWords } from "../words/requests.ts";
import { shownKinds, type Shown } from "./queries.ts";
import { RequestList } from "./request-list.tsx";

interface Search {
  show?: string | undefined;
  page?: string | undefined;
}

/** Reads the filter of a list from the page's address. */
export function shownBy({ show, page }: Search): { shown: Shown; page: number } {
  return {
    shown: shownKinds.find((kind) => kind === show) ?? "open",
    page: Math.max(1, Math.trunc(Number(page ?? 1)) || 1),
  };
}

/** Changes that wait for a review, or that had one, over all zones. */
export function RequestsPage() {
  const { shown, page } = shownBy(useSearch({ from: "/inside/requests" }));
  const navigate = useNavigate({ from: "/requests" });
  return (
    <Page title={requestsWords.title}>
      <RequestList
        shown={shown}
        onShown={(show) => void navigate({ search: { show }, replace: true })}
        page={page}
        onPage={(next, replace) => void navigate({ search: { show: shown, page: String(next) }, replace })}
      />
    </Page>
  );
}
