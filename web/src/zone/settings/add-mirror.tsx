import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, issueOf, queries } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, SelectField } from "../../ui/field.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Failure } from "../../ui/notice.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import type { ProviderConfig } from "../use-provider-configs.ts";
import { zoneName, type Zone } from "../use-zone.ts";
import styles from "../zone.module.css";

const text = zoneWords.mirrors;

interface Props {
  zone: Zone;
  /** Those that may become a mirror. */
  configs: readonly ProviderConfig[];
  onClose: () => void;
}

/** Chooses a provider configuration, shows what following does there, and adds it. */
export function AddMirror({ zone, configs, onClose }: Props) {
  const { id } = zone;
  const [config, setConfig] = useState(configs[0]?.id ?? "");
  const [reports, setReports] = useState(false);
  const name = configs.find((one) => one.id === config)?.name ?? "";
  const chosen = { id, providerConfigId: config, onDrift: reports ? ("report" as const) : ("restore" as const) };
  const plan = useQuery({
    queryKey: ["mirror-plan", id, zone.revision, config, reports],
    queryFn: async () => await client.mirrors.create.mutate({ ...chosen, dryRun: true }),
    retry: false,
    gcTime: 0,
  });
  // Another plan may delete other records: it is confirmed anew.
  const [confirmed, setConfirmed] = useState<typeof plan.data>(undefined);
  const force = !reports && plan.isSuccess && plan.data.delete > 0 && confirmed === plan.data;
  const add = useAction(async () => {
    await client.mirrors.create.mutate({ ...chosen, ...(force ? { force } : {}) });
    await queries.invalidateQueries({ queryKey: ["mirrors", id] });
    toast({ title: text.added(name) });
    onClose();
  });
  const deletes = plan.data?.deletes ?? [];
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.addTitle(zoneName(zone))}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button
            kind="primary"
            pending={add.pending}
            disabled={!plan.isSuccess || (plan.data.delete > 0 && !force)}
            onClick={() => void add.run()}
          >
            {text.addNow}
          </Button>
        </>
      }
    >
      <div className={styles["stack"]}>
        <SelectField
          label={text.config}
          value={config}
          options={configs.map(({ id: value, name: label }) => ({ value, label }))}
          onValue={setConfig}
          error={issueOf(plan.error, "providerConfigId")}
        />
        <CheckField label={text.reportOnly} checked={reports} onValue={setReports} />
        {plan.isSuccess ? <p>{text.plan(plan.data.create, plan.data.update, plan.data.delete)}</p> : null}
        {deletes.length === 0 ? null : (
          <div>
            <p>{text.deletes}</p>
            <ul>
              {deletes.map((record) => (
                <li key={record}>{record}</li>
              ))}
              {plan.data && plan.data.delete > deletes.length ? (
                <li>{zoneWords.moreLines(formatNumber(plan.data.delete - deletes.length))}</li>
              ) : null}
            </ul>
            <CheckField
              label={text.force}
              checked={force}
              onValue={(next) => setConfirmed(next ? plan.data : undefined)}
            />
          </div>
        )}
        <Failure error={add.error ?? plan.error} />
      </div>
    </Dialog>
  );
}
