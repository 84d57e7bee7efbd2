import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Columns2 } from "lucide-react";
import { useMemo, useState } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/field.tsx";
import { formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Empty } from "../ui/page.tsx";
import { compareWords } from "../words/compare.ts";
import { useOwnRights } from "../zone/own-rights.ts";
import { useProviderKind } from "../zone/automatic-ttl.tsx";
import { useZone, zoneName, zoneQuery } from "../zone/use-zone.ts";
import { ZoneField } from "../zone/zone-field.tsx";
import { sideBySide } from "./side-by-side.ts";
import styles from "./compare.module.css";

const text = compareWords;
/** More rows than anybody reads. */
const shownRows = 500;

/** A zone beside another one, such as its internal view: what only one has, and what differs. */
export function ComparePage() {
  const zone = useZone();
  const user = useUser();
  const { with: other } = useSearch({ from: "/inside/d/$name/compare" });
  const navigate = useNavigate({ from: "/d/$name/compare" });
  const [typed, setTyped] = useState(other ?? "");
  const [missed, setMissed] = useState(false);
  const found = useQuery({ ...zoneQuery(other ?? ""), enabled: other !== undefined });
  const against = found.data?.kind === "found" ? found.data.zone : null;
  // The service compares the hosts that one sees in both.
  const isWhole = [useOwnRights(zone), useOwnRights(against ?? zone)].every(({ seesAll }) => seesAll);
  const says = isWhole || user.role !== "member" ? text.equal : text.equalOfSeen;
  const isSame = against?.id === zone.id;
  const { data, error, isFetching } = useQuery({
    queryKey: ["compare", zone.id, zone.revision, against?.id, against?.revision],
    enabled: against !== null && !isSame,
    queryFn: async ({ signal }) =>
      await client.domains.compare.mutate({ id: zone.id, with: against?.id ?? "" }, { signal }),
  });
  const kind = useProviderKind(zone);
  const otherKind = useProviderKind({ providerId: against?.providerId });
  const sides = useMemo(() => data && sideBySide(data, [kind, otherKind]), [data, kind, otherKind]);
  const ofAnswer = typed.trim() === (other ?? "");
  const problem =
    missed && typed.trim() === ""
      ? text.missing
      : ofAnswer && found.data && !against
        ? text.unknown
        : ofAnswer && isSame
          ? text.same
          : null;
  const rows = against && !isSame ? sides : undefined;
  const names = [zoneName({ ...zone, name: zone.nameUnicode }), against ? zoneName(against) : ""] as const;
  return (
    <div className={styles["page"]}>
      <Form
        className={styles["form"] ?? ""}
        onSubmit={() => {
          setMissed(true);
          if (typed.trim() !== "") void navigate({ search: { with: typed.trim() } });
        }}
      >
        <ZoneField label={text.with} value={typed} onValue={setTyped} error={problem} />
        <div>
          <Button type="submit" kind="primary" pending={isFetching}>
            {text.go}
          </Button>
        </div>
      </Form>
      <Failure error={found.error ?? error} />
      {other === undefined ? (
        <Empty icon={<Columns2 aria-hidden />} title={text.emptyTitle}>
          {text.empty}
        </Empty>
      ) : null}
      {rows?.length === 0 ? <Notice kind="success">{says(...names)}</Notice> : null}
      {rows && rows.length > 0 ? (
        <>
          <p role="status">{text.count(rows.length, formatNumber(rows.length))}</p>
          <table className={styles["table"]} aria-label={text.table}>
            <thead>
              <tr>
                {[text.name, text.type, ...names].map((label) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shownRows).map(({ name, recordType, left, right }) => (
                <tr key={`${name} ${recordType}`}>
                  <th scope="row">{toUnicodeName(name)}</th>
                  <td>{recordType}</td>
                  <Values zone={names[0]} values={left} />
                  <Values zone={names[1]} values={right} />
                </tr>
              ))}
            </tbody>
          </table>
          {rows.length > shownRows ? <p>{text.more(formatNumber(rows.length - shownRows))}</p> : null}
        </>
      ) : null}
    </div>
  );
}

function Values({ zone, values }: { zone: string; values: readonly string[] }) {
  return (
    <td data-zone={zone} className={values.length === 0 ? styles["none"] : styles["values"]}>
      {values.length === 0 ? text.none : values.map((value) => <div key={value}>{value}</div>)}
    </td>
  );
}
