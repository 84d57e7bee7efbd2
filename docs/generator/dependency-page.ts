import lock from "../../package-lock.json" with { type: "json" };
import { generatedNote, page, table } from "./markdown.ts";

/** A package as the lock file has it. */
interface LockedPackage {
  readonly link?: boolean;
  readonly version?: string;
  readonly license?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A package that a part of the product is installed with. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The paths in the lock file of what it brings, itself included. */
  readonly brings: readonly string[];
}

const packages: Readonly<Record<string, LockedPackage>> = lock.packages;

/** What is installed with dependencies, by its folder in the lock file. The console and the command line are bundled. */
const parts = [
  ["The service", ""],
  ["The client", "client-sdk"],
] as const;

/** The direct dependencies of a part: by default, those of the service. */
export function dependenciesOf(folder = ""): Dependency[] {
  return Object.keys(packages[folder]?.dependencies ?? {}).map((name) => {
    const path = found(folder, name);
    const { version = "", license = "" } = packages[path] ?? {};
    return { name, version, license, brings: [...withAllBelow(path)] };
  });
}

/** Where Node finds a package that is required in a folder. */
function found(folder: string, name: string): string {
  const path = `${folder}${folder === "" ? "" : "/"}node_modules/${name}`;
  if (packages[path]) return path;
  if (folder === "") throw new Error(`The lock file has no package ${name}.`);
  const above = folder.includes("/node_modules/") ? folder.slice(0, folder.lastIndexOf("/node_modules/")) : "";
  return found(above, name);
}

function withAllBelow(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path] ?? {};
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  for (const name of [...Object.keys(dependencies ?? {}), ...peers]) withAllBelow(found(path, name), seen);
  for (const name of Object.keys(optionalDependencies ?? {})) {
    const one = found(path, name);
    if (isForServers(packages[one] ?? {})) withAllBelow(one, seen);
  }
  return seen;
}

/** Of the packages with programs, one is installed for each machine: that of a usual server is counted. */
function isForServers({ os, cpu, libc }: LockedPackage): boolean {
  return (os?.includes("linux") ?? true) && (cpu?.includes("x64") ?? true) && (libc?.includes("glibc") ?? true);
}

/** The packages of a production installation, and their licenses. */
export function dependencyPage(): string {
  const all = new Set<string>();
  const sections = parts.flatMap(([title, folder]) => {
    const dependencies = dependenciesOf(folder);
    const brought = new Set(dependencies.flatMap(({ brings }) => brings));
    for (const path of brought) all.add(path);
    return [
      `## ${title}`,
      `${dependencies.length} direct, ${brought.size} in all.`,
      table(
        ["package", "version", "license", "packages with it"],
        dependencies.map(({ name, version, license, brings }) => [
          `\`${name}\``,
          version,
          license,
          brings.length === 1 ? "–" : `${brings.length - 1}`,
        ]),
      ),
    ];
  });
  const licenses = Object.groupBy(all, (path) => packages[path]?.license ?? "none stated");
  const rows = Object.entries(licenses)
    .map(([license, paths = []]): [string, number] => [license, paths.length])
    .toSorted(([a, few], [b, many]) => many - few || a.localeCompare(b, "en"));
  return page(
    generatedNote,
    "# Dependencies",
    "See which packages a production installation has, and their licenses. [0001](../decisions/0001-dependencies.md) says what each is for. The last column counts the packages that each one needs; several may need the same. For packages with programs for one system, those for Linux on x64 count. The web console and the command line are bundled and install none.",
    "For an SBOM with every package, see [Deployment](../operations/deployment.md#what-is-in-it).",
    ...sections,
    "## Licenses",
    `Of all ${all.size} packages:`,
    table(
      ["license", "packages"],
      rows.map(([license, count]) => [license, String(count)]),
    ),
  );
}
