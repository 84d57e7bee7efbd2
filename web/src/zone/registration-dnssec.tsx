import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { client } from "../api.ts";
import { CopyField } from "../ui/copy-field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatAgo, formatDay, formatMoment } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { registrationWords } from "../words/registration.ts";
import { words } from "../words/words.ts";
import facts from "./registration.module.css";
import styles from "./zone.module.css";

const text = registrationWords.dnssec;

type Dnssec = RouterOutputs["dnssec"]["get"];

const stateDots = { unsigned: "unchecked", signed: "sync", pending: "drift", broken: "error" } as const;

export function useDnssec(id: string) {
  return useQuery({
    queryKey: ["dnssec", id],
    queryFn: async ({ signal }) => await client.dnssec.get.query({ id }, { signal }),
  });
}

/** Whether resolvers accept the signatures of a zone, and what the registrar must publish. */
export function DnssecCard({ id }: { id: string }) {
  const { data, error } = useDnssec(id);
  return (
    <Card title={text.title} hint={text.hint} flush>
      <Failure error={error} />
      {data ? null : <p className={styles["inset"]}>{error ? null : words.ui.loading}</p>}
      {data && data.checkedAt === null ? (
        <p className={styles["inset"]}>{data.notCheckedBecause ?? registrationWords.nothing}</p>
      ) : null}
      {data && data.checkedAt !== null ? <Facts found={data} checkedAt={data.checkedAt} /> : null}
    </Card>
  );
}

function Facts({ found, checkedAt }: { found: Dnssec; checkedAt: Date }) {
  const { state, chain, chainReason, keys, parentDs, dsToPublish, signaturesExpireAt } = found;
  const isPublished = dsToPublish.every((ds) => parentDs?.includes(ds));
  return (
    <>
      <table className={facts["facts"]} aria-label={text.title}>
        <tbody>
          <tr>
            <th scope="row">{text.state}</th>
            <td>
              <i className={styles["dot"]} data-state={state ? stateDots[state] : "unchecked"} aria-hidden />
              {state ? text.states[state] : text.unknown}
              <small>{registrationWords.asked(formatAgo(checkedAt))}</small>
            </td>
          </tr>
          <tr>
            <th scope="row">{text.chain}</th>
            <td>
              {text.chains[chain]}
              {chainReason === null ? null : <small>{forPeople(chainReason)}</small>}
            </td>
          </tr>
          <tr>
            <th scope="row">{text.keys}</th>
            <td>
              {keys === null ? text.unknown : null}
              {keys?.length === 0 ? registrationWords.none : null}
              {keys && keys.length > 0 ? (
                <ul>
                  {keys.map((key) => (
                    <li key={`${key.keyTag} ${key.algorithm} ${key.role}`}>
                      {text.key(key.keyTag, text.algorithms(key.algorithm), text.roles[key.role])}
                      {key.active ? null : <small>{text.inactive}</small>}
                    </li>
                  ))}
                </ul>
              ) : null}
              {signaturesExpireAt ? (
                <small>
                  <time dateTime={signaturesExpireAt.toISOString()} title={formatMoment(signaturesExpireAt)}>
                    {text.until(formatDay(signaturesExpireAt), formatAgo(signaturesExpireAt))}
                  </time>
                </small>
              ) : null}
            </td>
          </tr>
          <tr>
            <th scope="row">{text.parentDs}</th>
            <td>
              <DsList records={parentDs} />
            </td>
          </tr>
        </tbody>
      </table>
      {isPublished ? null : (
        <div className={styles["inset"]}>
          {dsToPublish.map((ds) => (
            <CopyField key={ds} label={text.publish} value={ds} copy={words.ui.copy} />
          ))}
        </div>
      )}
    </>
  );
}

function DsList({ records }: { records: string[] | null }) {
  if (records === null) return text.unknown;
  if (records.length === 0) return registrationWords.none;
  return (
    <ul>
      {records.map((ds) => (
        <li key={ds}>
          <code>{ds}</code>
        </li>
      ))}
    </ul>
  );
}
