import { useQuery } from "@tanstack/react-query";
import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatAgo, formatDay } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import type { ManagedUser } from "./users.ts";
import styles from "./admin.module.css";

const text = adminWords.access;

type Access = RouterOutputs["users"]["access"];
type Revoked = Omit<RouterInputs["users"]["revokeAccess"], "id">;

interface Way {
  key: string;
  name: string;
  about: string;
  revoke: Revoked;
}

const usage = (date: Date | null) => (date === null ? text.neverUsed : text.usedAt(formatAgo(date)));

type Single = "password" | "totp" | "email" | "recoveryCodes";

function single(kind: Single, name: string, about: string): Way {
  return { key: kind, name, about, revoke: { revoke: [kind] } };
}

/** Every way into an account, in groups; empty groups are left out. */
function groupsOf(access: Access): { title: string; ways: Way[] }[] {
  const own: Way[] = [];
  if (access.hasPassword) own.push(single("password", text.password, text.passwordSet));
  if (access.totp) own.push(single("totp", text.totp, text.setUp));
  if (access.email) own.push(single("email", text.email, text.setUp));
  if (access.recoveryCodesLeft > 0)
    own.push(single("recoveryCodes", text.recoveryCodes, text.codesLeft(access.recoveryCodesLeft)));
  return [
    { title: text.password, ways: own },
    {
      title: text.sessions,
      ways: access.sessions.map(({ id, userAgent, ip, lastUsedAt }) => ({
        key: id,
        name: userAgent ?? text.unknownDevice,
        about: [ip, usage(lastUsedAt)].filter((each) => each !== null).join(" · "),
        revoke: { ids: [id] },
      })),
    },
    {
      title: text.tokens,
      ways: access.tokens.map(({ id, name, lastUsedAt }) => ({
        key: id,
        name,
        about: usage(lastUsedAt),
        revoke: { ids: [id] },
      })),
    },
    {
      title: text.feeds,
      ways: access.feeds.map(({ id, name, lastUsedAt }) => ({
        key: id,
        name,
        about: usage(lastUsedAt),
        revoke: { ids: [id] },
      })),
    },
    {
      title: text.keys,
      ways: access.keys.map(({ id, name, keyName, domainName, lastUsedAt }) => ({
        key: id,
        name: name ?? keyName,
        about: `${domainName} · ${usage(lastUsedAt)}`,
        revoke: { ids: [id] },
      })),
    },
    {
      title: text.passkeys,
      ways: access.passkeys.map(({ id, name, lastUsedAt }) => ({
        key: id,
        name,
        about: usage(lastUsedAt),
        revoke: { ids: [id] },
      })),
    },
    {
      title: text.identities,
      ways: access.identities.map(({ id, providerId, displayName, email, subject, createdAt }) => ({
        key: id,
        name: `${providerId}: ${displayName ?? email ?? subject}`,
        about: text.since(formatDay(createdAt)),
        revoke: { ids: [id] },
      })),
    },
  ].filter(({ ways }) => ways.length > 0);
}

/** Shows and revokes what lets somebody act as a user. */
export function WaysIn({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const { id, role } = useUser();
  const self = id === user.id;
  const mayRevoke = role === "admin" && !self;
  const [asking, setAsking] = useState<Way | "all" | null>(null);
  const key = ["user-access", user.id];
  const { data, error } = useQuery({
    queryKey: key,
    staleTime: 0,
    queryFn: async ({ signal }) => await client.users.access.query({ id: user.id }, { signal }),
  });
  const revoke = useAction(async (what: Revoked) => {
    queries.setQueryData(key, await client.users.revokeAccess.mutate({ id: user.id, ...what }));
    await queries.invalidateQueries({ queryKey: ["users"] });
    toast({ title: text.revoked });
  });
  const groups = data ? groupsOf(data) : [];
  return (
    <>
      <Dialog
        open
        wide
        onClose={onClose}
        title={text.title(user.username)}
        description={text.hint}
        footer={
          <>
            <Button onClick={onClose}>{words.ui.close}</Button>
            {!mayRevoke || groups.length === 0 ? null : (
              <Button kind="danger" pending={revoke.pending} onClick={() => setAsking("all")}>
                {text.revokeAll}
              </Button>
            )}
          </>
        }
      >
        <div className={styles["ways"]}>
          <Failure error={error ?? revoke.error} />
          {self && role === "admin" ? <Notice kind="info">{text.own}</Notice> : null}
          {data && groups.length === 0 ? <p role="status">{text.none}</p> : null}
          {groups.map(({ title, ways }) => (
            <section key={title} aria-label={title}>
              <h3>{title}</h3>
              <ul>
                {ways.map((way) => (
                  <li key={way.key}>
                    <span>
                      {way.name}
                      <small>{way.about}</small>
                    </span>
                    {!mayRevoke ? null : (
                      <Button
                        aria-label={text.revokeOne(way.name)}
                        pending={revoke.pending}
                        onClick={() => setAsking(way)}
                      >
                        {text.revoke}
                      </Button>
                    )}
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </Dialog>
      {asking ? (
        <AskFirst
          title={asking === "all" ? text.revokeAllTitle(user.username) : text.revokeTitle(asking.name, user.username)}
          action={asking === "all" ? text.revokeAll : text.revoke}
          onConfirm={() => void revoke.run(asking === "all" ? {} : asking.revoke)}
          onClose={() => setAsking(null)}
        >
          {asking === "all" ? (
            text.revokeAllHint
          ) : (
            <>
              <p>{asking.about}</p>
              <p>{text.revokeHint}</p>
            </>
          )}
        </AskFirst>
      ) : null}
    </>
  );
}
