import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Globe } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/page.tsx";
import { domainDialogsWords } from "../words/domain-dialogs.ts";
import { domainsWords } from "../words/domains.ts";
import { providerConfigs } from "../zone/domain-queries.ts";
import styles from "./domains.module.css";

const text = { ...domainsWords, ...domainDialogsWords };

/** How many found zones are named. */
const named = 5;

/** What to do first in an empty installation: import what is there, connect a provider, or add a domain. */
export function FirstRun({ onAdd }: { onAdd: (() => void) | null }) {
  const admin = useUser().role === "admin";
  if (admin) return <FirstImport onAdd={onAdd} />;
  return (
    <Empty
      icon={<Globe aria-hidden />}
      title={text.emptyTitle}
      action={
        onAdd ? (
          <Button kind="primary" onClick={onAdd}>
            {text.add}
          </Button>
        ) : null
      }
    >
      {text.emptyMember}
    </Empty>
  );
}

function FirstImport({ onAdd }: { onAdd: (() => void) | null }) {
  const { data: configs } = useQuery(providerConfigs);
  // The folder of the service itself, which needs no settings.
  const own = configs?.find(({ kind, config }) => kind === "zonefile" && config["folder"] === undefined);
  const { data: there, isLoading } = useQuery({
    queryKey: ["provider-zones", own?.id],
    enabled: own !== undefined,
    queryFn: async ({ signal }) => await client.providerConfigs.zones.query({ id: own?.id ?? "" }, { signal }),
  });
  const found = (there?.zones ?? []).filter(({ managed }) => !managed).map(({ name }) => name);
  if (!configs || isLoading) return null;
  const add = onAdd ? (
    <Button key="add" onClick={onAdd}>
      {text.add}
    </Button>
  ) : null;
  if (own && found.length > 0) {
    const names = found.slice(0, named).join(", ");
    return (
      <Choices title={text.foundTitle(found.length)} hint={text.found(names, Math.max(0, found.length - named))}>
        <First to="/admin/providers/$id/zones" id={own.id} label={text.importFound(found.length)} />
        <Link to="/admin/providers/new" className={buttonClass()}>
          {text.connect}
        </Link>
        {add}
      </Choices>
    );
  }
  return (
    <Choices title={text.emptyTitle} hint={text.emptyAdmin}>
      <First to="/admin/providers/new" id="" label={text.connect} />
      {own && there && there.unusable.length > 0 ? (
        <Link to="/admin/providers/$id/zones" params={{ id: own.id }} className={buttonClass()} preload={false}>
          {text.unusable(there.unusable.length)}
        </Link>
      ) : null}
      {add}
    </Choices>
  );
}

function Choices({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <Empty icon={<Globe aria-hidden />} title={title} action={<div className={styles["choices"]}>{children}</div>}>
      {hint}
    </Empty>
  );
}

/** The likely next step, with the focus on it. */
function First({
  to,
  id,
  label,
}: {
  to: "/admin/providers/new" | "/admin/providers/$id/zones";
  id: string;
  label: string;
}) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), []);
  return to === "/admin/providers/new" ? (
    <Link ref={link} to={to} className={buttonClass("primary")}>
      {label}
    </Link>
  ) : (
    <Link ref={link} to={to} params={{ id }} className={buttonClass("primary")} preload={false}>
      {label}
    </Link>
  );
}
