import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import field from "../ui/field.module.css";
import { adminWords } from "../words/admin.ts";
import { KindMark } from "./kind-mark.tsx";
import type { ProviderKind } from "./provider-fields.ts";
import styles from "./admin.module.css";

const text = adminWords.providers;

/** The kind for everything that no other kind speaks to. */
const forAllOthers = "webhook";

/** All kinds of providers by name, to choose one. */
export function KindChoice({ kinds }: { kinds: readonly ProviderKind[] }) {
  const navigate = useNavigate();
  const [sought, setSought] = useState("");
  const words = sought.toLocaleLowerCase().split(/\s+/u);
  const found = kinds.filter(({ kind, name }) => {
    const known = `${kind} ${name} ${text.kindHints[kind] ?? ""} ${alsoCalled[kind] ?? ""}`.toLocaleLowerCase();
    return words.every((word) => known.includes(word));
  });
  const shown = found.length > 0 ? found : kinds.filter(({ kind }) => kind === forAllOthers);
  const [first] = shown;
  return (
    <section className={styles["section"]}>
      <h2>{text.choose}</h2>
      <p>{text.chooseHint}</p>
      <form
        role="search"
        className={styles["seek"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (first && sought.trim() !== "")
            void navigate({ to: "/admin/providers/new", search: { kind: first.kind } });
        }}
      >
        <input
          type="search"
          className={field["input"]}
          placeholder={text.searchKinds}
          aria-label={text.searchKinds}
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      </form>
      <p role="status" className={found.length > 0 ? "sr" : styles["seek"]}>
        {found.length > 0 ? text.kindsFound(found.length) : text.noKind}
      </p>
      <div className={styles["kinds"]}>
        {shown.map(({ kind, name }) => (
          <Link key={kind} to="/admin/providers/new" search={{ kind }} className={styles["kind"]} preload={false}>
            <KindMark kind={kind} name={name} />
            <strong>{name}</strong>
            <span>{text.kindHints[kind]}</span>
          </Link>
        ))}
      </div>
    </section>
  );
}

/** Names under which people look for a kind, beside its name and what is said of it. */
const alsoCalled: Readonly<Record<string, string>> = {
  azure: "microsoft",
  rfc2136: "bind knot windows nsupdate tsig ddns",
  route53: "amazon",
};
