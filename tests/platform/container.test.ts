import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ValidationSeverity, validate } from "dockerfile-utils";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig } from "../../server/ops/config/config.ts";
import { freePorts } from "../support/programs.ts";
import { startZonewright } from "../support/zonewright.ts";

const root = join(import.meta.dirname, "../..");
const text = (file: string) => readFileSync(join(root, file), "utf8");
const dockerfile = text("Dockerfile");
const instructions = (keyword: string) =>
  [...dockerfile.matchAll(new RegExp(`^${keyword} (.+)$`, "gm"))].map(([, rest = ""]) => rest);

interface Service {
  image?: string;
  environment?: Record<string, string>;
  read_only?: boolean;
  volumes?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}
const compose = parse(text("compose.yaml"), { strict: true, uniqueKeys: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};

test("the Dockerfile is valid", () => {
  const severities = { deprecatedMaintainer: ValidationSeverity.ERROR, directiveCasing: ValidationSeverity.ERROR };
  expect(validate(dockerfile, severities)).toEqual([]);
  expect(validate("FROM\nRNU x", severities)).not.toEqual([]);
});

test("the image has the Node version that the tests use, and all that the service needs", () => {
  const { dependencies } = JSON.parse(text("package.json")) as { dependencies: Record<string, string> };
  const stages = instructions("FROM").map((from) => /^node:([\d.]+)-/.exec(from)?.[1]);
  expect(stages).toEqual([dependencies["node"], dependencies["node"], dependencies["node"]]);
  const copied = instructions("COPY")
    .filter((copy) => !copy.startsWith("--from"))
    .flatMap((copy) => copy.split(" ").slice(0, -1));
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const ignored = text(".dockerignore");
  expect(copied.filter((path) => !ignored.includes(`!${path}\n`))).toEqual([]);
});

test("the container does not run as root and writes only to /data", () => {
  expect(instructions("USER")).toEqual(["node"]);
  expect(dockerfile.indexOf("\nUSER ")).toBeLessThan(dockerfile.indexOf("\nCMD "));
  expect(instructions("VOLUME")).toEqual(["/data"]);
  const { zonewright } = compose.services;
  expect(zonewright).toMatchObject({ read_only: true, cap_drop: ["ALL"], volumes: ["data:/data"] });
});

test("the container gets no capability back, so the guide lowers its first privileged port for DNS on port 53", () => {
  expect(Object.keys(compose.services["zonewright"] ?? {})).not.toContain("cap_add");
  const [command = ""] = /`docker run [^`]+`/.exec(text("docs/guide/secondaries.md")) ?? [];
  expect(command).toContain(" --sysctl net.ipv4.ip_unprivileged_port_start=53 -p 53:53/udp -p 53:53/tcp ");
  expect(command).not.toMatch(/--(?:privileged|user|cap-add)/);
});

test("compose.yaml sets only variables of the service, with valid values", () => {
  const given = { POSTGRES_PASSWORD: "secret", SITE_URL: "", TRUST_PROXY: "1" };
  const filled = Object.entries(compose.services["zonewright"]?.environment ?? {}).map(([name, value]) => [
    name,
    value.replaceAll(
      /\$\{(\w+):[-?]([^}]*)\}/g,
      (_all, variable: keyof typeof given, other: string) => given[variable] || other,
    ),
  ]);
  const config = loadConfig(Object.fromEntries(filled) as Record<string, string>);
  expect(config).toMatchObject({
    siteUrl: "http://localhost:3000",
    databaseUrl: "postgresql://zonewright:secret@postgres:5432/zonewright",
    redisUrl: "redis://redis:6379",
    trustProxy: ["1"],
  });
  expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(["postgres", "redis"]));
  const volumes = Object.values(compose.services).flatMap((service) => service.volumes ?? []);
  expect(volumes.map((volume) => volume.split(":")[0])).toEqual(Object.keys(compose.volumes));
});

test("the image has a readiness check, and compose waits for dependencies", async () => {
  const [, command = "[]"] = /^HEALTHCHECK .*\n {2}CMD (.+)$/m.exec(dockerfile) ?? [];
  const [, ...options] = JSON.parse(command) as string[];
  const check = async (url: string) => {
    const env = { PATH: process.env["PATH"], PORT: new URL(url).port };
    const ended = promisify(execFile)(process.execPath, options, { env });
    return await ended.then(
      () => 0,
      ({ code }: { code: number }) => code,
    );
  };
  // Once the service has stopped, nothing else listens there.
  const [port = 0] = await freePorts(1);
  const zw = await startZonewright({ env: { PORT: String(port) } });
  expect(await check(zw.url)).toBe(0);
  await zw.stop();
  expect(await check(zw.url)).toBe(1);
  const needed = Object.entries(compose.services["zonewright"]?.depends_on ?? {});
  expect(needed.map(([name, { condition }]) => [name, condition])).toEqual([
    ["postgres", "service_healthy"],
    ["redis", "service_healthy"],
  ]);
  for (const [name] of needed) expect(compose.services[name]?.healthcheck?.test[0]).toBe("CMD");
});

interface Probe {
  httpGet: { path: string; port: string };
}
interface Manifest {
  kind: string;
  spec: Record<string, unknown> & {
    selector: unknown;
    template: { metadata: { labels: unknown }; spec: Record<string, unknown> & { containers: Container[] } };
  };
}
interface Container {
  image: string;
  ports: { name: string; containerPort: number }[];
  env: { name: string; value: string }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  securityContext: unknown;
  volumeMounts: { name: string; mountPath: string }[];
}
const manifests = parseAllDocuments(text("deploy/kubernetes/zonewright.yaml"), { strict: true, uniqueKeys: true }).map(
  (document) => document.toJS() as Manifest,
);
const deployment = manifests.find(({ kind }) => kind === "Deployment")?.spec.template.spec;
const [container] = deployment?.containers ?? [];

test("the Kubernetes manifests keep one of two instances, and all select the same pods", () => {
  expect(manifests.map(({ kind }) => kind)).toEqual(["Deployment", "Service", "PodDisruptionBudget"]);
  const [deployed, service, budget] = manifests.map(({ spec }) => spec);
  const labels = deployed?.template.metadata.labels;
  expect([deployed?.selector, { matchLabels: service?.selector }, budget?.selector]).toEqual(
    [1, 2, 3].map(() => ({ matchLabels: labels })),
  );
  expect([deployed?.["replicas"], budget?.["minAvailable"]]).toEqual([2, 1]);
  // An upgrade runs no two versions on one database.
  expect(deployed?.["strategy"]).toEqual({ type: "Recreate" });
  const listed = parse(text("deploy/kubernetes/kustomization.yaml")) as {
    resources: string[];
    images: { name: string; newTag: string }[];
  };
  expect(listed.resources).toEqual(["zonewright.yaml"]);
  const { version } = JSON.parse(text("package.json")) as { version: string };
  expect(listed.images).toEqual([{ name: "zonewright", newTag: version }]);
  expect(container?.image).toBe(`zonewright:${version}`);
});

test("containers in Kubernetes run without root or privileges, and write only to their volumes", () => {
  expect(deployment).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000 },
    volumes: [
      { name: "data", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
    ],
  });
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(["/data", "/tmp"]);
});

test("Kubernetes sets documented variables, and probes ports and paths that the service has", async () => {
  const settings = text("docs/reference/configuration.md");
  const env = Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? []);
  const secrets = ["DATABASE_URL", "REDIS_URL", "SECRET_KEYS"];
  expect([...Object.keys(env), ...secrets].filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([]);
  const config = loadConfig(env);
  expect(config).toMatchObject({ host: "0.0.0.0", dataDir: "/data", siteUrl: "https://dns.example.com" });
  expect(container?.ports).toEqual([{ name: "http", containerPort: config.port }]);
  const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
  const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
  expect(probes.map((probe) => probe?.port)).toEqual(["http", "http", "http"]);
  expect(probes.map((probe) => probe?.path)).toEqual(["/healthz", "/healthz", "/readyz"]);
  const zw = await startZonewright();
  const statuses = await Promise.all(probes.map(async (probe) => (await fetch(`${zw.url}${probe?.path}`)).status));
  expect(statuses).toEqual([200, 200, 200]);
  await zw.stop();
});

const deployed = (file: string) => text(join("deploy/high-availability", file));
const cluster = parse(deployed("compose.yaml"), { strict: true, uniqueKeys: true, merge: true }) as {
  services: Record<string, Service & { build?: string | { context: string; dockerfile: string } }>;
  volumes: Record<string, unknown>;
};
const members = ["patroni1", "patroni2", "patroni3"];

test("the highly available compose.yaml runs all parts, each of a file that is there", () => {
  const names = ["zonewright1", "zonewright2", "nginx", "haproxy", ...members, "etcd", "redis"];
  expect(Object.keys(cluster.services)).toEqual(names);
  const all = Object.values(cluster.services);
  const needed = all.flatMap(({ depends_on: others = {} }) => Object.entries(others));
  expect(names).toEqual(expect.arrayContaining(needed.map(([name]) => name)));
  const healthy = needed.filter(
    ([name, { condition }]) => condition === "service_healthy" && !name.startsWith("zonewright"),
  );
  for (const [name] of healthy) expect(cluster.services[name]?.healthcheck?.test[0]).toBe("CMD");
  const sources = all.flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(":")[0] ?? ""));
  const built = all.flatMap(({ build }) => (typeof build === "object" ? [build.dockerfile] : []));
  const files = [...sources.filter((source) => source.startsWith("./")), ...built];
  expect(files.filter((file) => !existsSync(join(root, "deploy/high-availability", file)))).toEqual([]);
  const volumes = sources.filter((source) => !source.startsWith("./"));
  expect([...new Set(volumes)]).toEqual(Object.keys(cluster.volumes));
  expect(cluster.services["zonewright1"]).toEqual(cluster.services["zonewright2"]);
  expect(cluster.services["zonewright1"]).toMatchObject({ read_only: true, cap_drop: ["ALL"], build: "../.." });
});

test("the highly available instances get valid variables, and reach what the other files name", () => {
  const given: Record<string, string> = { POSTGRES_PASSWORD: "secret", SECRET_KEYS: "k".repeat(32), SITE_URL: "" };
  const filled = Object.entries(cluster.services["zonewright1"]?.environment ?? {}).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{(\w+):[-?]([^}]*)\}/g, (_all, variable: string, other: string) => given[variable] || other),
  ]);
  expect(loadConfig(Object.fromEntries(filled) as Record<string, string>)).toMatchObject({
    siteUrl: "http://localhost:8080",
    databaseUrl: "postgresql://zonewright:secret@haproxy:5000/zonewright",
    trustProxy: ["1"],
  });
  expect(deployed("haproxy.cfg")).toMatch(/^ +bind :5000$/m);
  const servers = [...deployed("haproxy.cfg").matchAll(/^ +server (\w+) (\S+)$/gm)].map(([, name, address]) => [
    name,
    address,
  ]);
  expect(servers).toEqual(members.map((name) => [name, `${name}:5432`]));
  const upstreams = [...deployed("nginx.conf").matchAll(/^ +server (\w+):3000 /gm)].map(([, name]) => name);
  expect(upstreams).toEqual(["zonewright1", "zonewright2"]);
  const patroni = parse(deployed("patroni.yml"), { strict: true, uniqueKeys: true }) as {
    bootstrap: { dcs: Record<string, unknown>; post_bootstrap: string };
    restapi: { listen: string };
    postgresql: { listen: string; bin_dir: string };
  };
  expect([patroni.restapi.listen, patroni.postgresql.listen]).toEqual(["0.0.0.0:8008", "0.0.0.0:5432"]);
  expect(deployed("haproxy.cfg")).toContain("check port 8008 ");
  // What the page says must stay.
  expect(patroni.bootstrap.dcs["synchronous_mode"]).toBe(true);
  expect(deployed("haproxy.cfg")).toMatch(/^ +default-server .* on-marked-down shutdown-sessions /m);
  expect(deployed("nginx.conf")).toMatch(/^ +least_conn;$/m);
  expect(deployed("nginx.conf")).toMatch(/^ +location @change \{\n +proxy_next_upstream off;$/m);
  const image = deployed("postgres.Dockerfile");
  expect(patroni.postgresql.bin_dir).toBe(`/usr/lib/postgresql/${/^FROM postgres:(\d+)-/m.exec(image)?.[1]}/bin`);
  expect(patroni.bootstrap.post_bootstrap).toBe("/etc/patroni/create-database.sh");
  expect(validate(image)).toEqual([]);
  for (const name of members)
    expect(cluster.services[name]?.environment).toMatchObject({
      PATRONI_NAME: name,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${name}:8008`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${name}:5432`,
      PATRONI_ETCD3_HOSTS: "etcd:2379",
      PATRONI_SUPERUSER_PASSWORD: expect.stringMatching(/^\$\{SUPERUSER_PASSWORD:/),
    });
});
