import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import type { RegistrarConfig } from "./registrar-form.tsx";
import styles from "./admin.module.css";

const text = adminWords.registrars;
const mostShown = 200;

interface RegistrarNamesProps {
  config: RegistrarConfig;
  mayConnect: boolean;
  onClose: () => void;
}

/** The names in an account, with the domains that they belong to. */
export function RegistrarNames({ config: { id, name: account }, mayConnect, onClose }: RegistrarNamesProps) {
  const queryKey = ["registrar-names", id];
  const { data, error } = useQuery({
    queryKey,
    // Every reading is a call to the registrar.
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => (await client.registrarConfigs.domains.query({ id }, { signal })).domains,
  });
  const [sought, setSought] = useState("");
  const connect = useAction(async (domainId: string, name: string) => {
    await client.domains.update.mutate({ id: domainId, registrarConfigId: id });
    queries.setQueryData(queryKey, (before: typeof data) =>
      before?.map((each) => (each.domainId === domainId ? Object.assign({}, each, { connected: true }) : each)),
    );
    void queries.invalidateQueries({ queryKey: ["zone", name] });
    toast({ title: text.nowConnected(name) });
  });
  const matching = data?.filter(({ name }) => name.includes(sought.trim().toLowerCase()));
  return (
    <Dialog
      open
      wide
      title={text.namesOf(account)}
      onClose={onClose}
      footer={<Button onClick={onClose}>{words.ui.close}</Button>}
    >
      <Failure error={error ?? connect.error} />
      {data || error ? null : <p role="status">{words.ui.loading}</p>}
      {data?.length === 0 ? <p>{text.noNames}</p> : null}
      {data && data.length > 0 ? (
        <TextField label={text.filter} type="search" value={sought} onValue={setSought} />
      ) : null}
      {data && data.length > 0 && matching?.length === 0 ? <p>{text.noneMatch}</p> : null}
      <div className={styles["ways"]}>
        <ul>
          {matching?.slice(0, mostShown).map(({ name, domainId, connected }) => (
            <li key={name}>
              <span>
                {domainId === null ? (
                  name
                ) : (
                  <Link to="/d/$name/registration" params={{ name }} className={styles["link"]} preload={false}>
                    {name}
                  </Link>
                )}
                {domainId !== null && !connected ? null : (
                  <small>{domainId === null ? text.elsewhere : text.connected}</small>
                )}
              </span>
              {domainId !== null && !connected && mayConnect ? (
                <Button
                  aria-label={text.connectOf(name)}
                  pending={connect.pending}
                  onClick={() => void connect.run(domainId, name)}
                >
                  {text.connect}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      </div>
      {matching && matching.length > mostShown ? (
        <p className={styles["lead"]}>{text.moreNames(formatNumber(matching.length - mostShown))}</p>
      ) : null}
    </Dialog>
  );
}
