import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTitle } from "../ui/page.tsx";
import { requestsWords } from "../words/requests.ts";
import { useZone, useZoneName, zoneName } from "../zone/use-zone.ts";
import { RequestList } from "./request-list.tsx";
import { shownBy } from "./requests-page.tsx";
import styles from "./requests.module.css";

/** The change requests of one zone. */
export function ZoneRequestsPage() {
  const zone = useZone();
  const name = useZoneName();
  const { shown, page } = shownBy(useSearch({ from: "/inside/d/$name/requests" }));
  const navigate = useNavigate({ from: "/d/$name/requests" });
  useTitle(`${requestsWords.title} · ${zoneName({ ...zone, name: zone.nameUnicode })}`);
  return (
    <div className={styles["page"]}>
      <RequestList
        domainId={zone.id}
        shown={shown}
        onShown={(show) => void navigate({ params: { name }, search: { show }, replace: true })}
        page={page}
        onPage={(next, replace) =>
          void navigate({ params: { name }, search: { show: shown, page: String(next) }, replace })
        }
      />
    </div>
  );
}
