import { useQuery } from "@tanstack/react-query";
import type { DnsRecord } from "@zonewright/client";
import { isEditableType } from "../../../server/dns/record.ts";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { recordsWords } from "../words/records.ts";
import { words } from "../words/words.ts";
import type { Zone } from "../zone/use-zone.ts";
import styles from "./records.module.css";

const text = recordsWords;

interface ServedDialogProps {
  zone: Zone;
  record: DnsRecord;
  onClose: () => void;
}

/** Asks each name server of the domain for one record, and says how it answers. */
export function ServedDialog({ zone, record, onClose }: ServedDialogProps) {
  const { name, recordType, value } = record;
  const asked = useQuery({
    queryKey: ["served", record.id, record.version],
    // Each look asks: an answer of before says nothing about now.
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: async () => {
      if (!isEditableType(recordType) || recordType === "ALIAS") throw new Error(text.servedNobody);
      return await client.delegation.checkServed.mutate({ id: zone.id, name, recordType, values: [value] });
    },
  });
  const { data, error, isFetching } = asked;
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.servedTitle(name, recordType)}
      description={text.servedHint}
      footer={
        <>
          <Button pending={isFetching} onClick={() => void asked.refetch()}>
            {text.askAgain}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {words.ui.close}
          </Button>
        </>
      }
    >
      {isFetching ? <p role="status">{text.servedAsking}</p> : <Failure error={error} />}
      {data && !isFetching ? (
        <>
          <Notice kind={data.served ? "success" : "warning"}>
            {data.served ? text.servedAll : (data.notCheckedBecause ?? data.error ?? text.servedNotAll)}
          </Notice>
          <ul className={styles["servers"]} aria-label={text.servedServers}>
            {data.servers.map((server) => (
              <li key={`${server.name} ${server.address}`}>
                <code>{server.name}</code> {server.address === null ? "" : `(${server.address}) `}
                {text.servedStates[server.state]}
                {server.detail === null ? null : <small>{server.detail}</small>}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Dialog>
  );
}
