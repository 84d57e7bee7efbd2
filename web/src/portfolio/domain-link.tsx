import { Link } from "@tanstack/react-router";
import { toUnicodeName } from "../../../server/dns/names/names.ts";

interface Named {
  name: string;
  view: string;
}

const addressOf = ({ name, view }: Named) => (view === "" ? name : `${name}!${view}`);
const shownName = ({ name, view }: Named) => [toUnicodeName(name), view].filter(Boolean).join(" · ");

/** The name of a domain, which leads to its registration. */
export function DomainLink({ domain }: { domain: Named }) {
  return (
    <Link to="/d/$name/registration" params={{ name: addressOf(domain) }} preload={false}>
      {shownName(domain)}
    </Link>
  );
}
