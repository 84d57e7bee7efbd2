import { accessSync, constants, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

const systemFolders = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Debian's package for each program that the services suite and the bench run. */
const suitePackages = {
  initdb: "postgresql",
  postgres: "postgresql",
  pgbench: "postgresql",
  named: "bind9",
  rndc: "bind9-utils",
  "named-checkzone": "bind9-utils",
  "named-checkconf": "bind9-utils",
  "named-compilezone": "bind9-utils",
  "dnssec-keygen": "bind9-utils",
  "dnssec-signzone": "bind9-utils",
  "dnssec-dsfromkey": "bind9-utils",
  "dnssec-verify": "bind9-utils",
  delv: "bind9-dnsutils",
  dig: "bind9-dnsutils",
  nsupdate: "bind9-dnsutils",
  knotd: "knot",
  knotc: "knot",
  kzonecheck: "knot-dnssecutils",
  unbound: "unbound",
  nsd: "nsd",
  "nsd-control": "nsd",
  pdns_server: "pdns-server pdns-backend-sqlite3",
  pdnsutil: "pdns-server",
  lego: "lego",
  certbot: "certbot python3-certbot-dns-rfc2136",
  pebble: "pebble",
  dehydrated: "dehydrated",
  inadyn: "inadyn",
  ddclient: "ddclient",
  "kea-dhcp-ddns": "kea-dhcp-ddns-server",
  rsyslogd: "rsyslog rsyslog-gnutls",
  "redis-server": "redis-server",
  nginx: "nginx-light",
  "chromium-headless-shell": "chromium-headless-shell",
  "firefox-esr": "firefox-esr",
  zsh: "zsh",
  fish: "fish",
} as const;

/** Of what only `npm run proof:ha` runs. */
const clusterPackages = {
  patroni: "patroni",
  etcd: "etcd-server",
  haproxy: "haproxy",
  pg_controldata: "postgresql",
  psql: "postgresql-client",
} as const;

const packages = { ...suitePackages, ...clusterPackages };

export type Program = keyof typeof packages;

/** Returns the path of a program. @throws Error naming it and its Debian package. */
export function binary(program: Program): string {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...systemFolders, ...postgresFolders()];
  const found = folders.map((folder) => join(folder, program)).find(isExecutable);
  if (found === undefined) {
    throw new Error(
      `${program} is needed here and was not found: apt-get install ${packages[program]} (Debian), or put it in the PATH.`,
    );
  }
  return found;
}

/** Fails before anything runs if a program is missing. */
export function requireBinaries(programs = Object.keys(suitePackages) as Program[]): void {
  for (const program of programs) binary(program);
}

/** Debian keeps PostgreSQL's own programs out of the PATH; the newest version first. */
function postgresFolders(): string[] {
  const base = "/usr/lib/postgresql";
  try {
    const versions = readdirSync(base).toSorted((one, other) => Number(other) - Number(one));
    return versions.map((version) => join(base, version, "bin"));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
