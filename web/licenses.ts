import lock from "../package-lock.json" with { type: "json" };

/** A package as the lock file has it. */
interface LockedPackage {
  readonly link?: boolean;
  readonly version?: string;
  readonly license?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A package that a part of the product is installed with. */
interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The paths in the lock file of what it brings, itself included. */
  readonly brings: readonly string[];
}

const packages: Readonly<Record<string, LockedPackage>> = lock.packages;

/** Of the console's own packages, those that build it: nothing of them is delivered. */
const ofBuild = /^(?:@types\/|@vitejs\/|vite$)/;

/**
 * The direct dependencies of a part, by its folder: by default, those of the service. The console is delivered as one bundle, so its packages
 * are not installed with anything.
 */
export function dependenciesOf(folder = ""): Dependency[] {
  const { dependencies, devDependencies } = packages[folder] ?? {};
  const names =
    folder === "web"
      ? Object.keys(devDependencies ?? {}).filter((name) => !ofBuild.test(name))
      : Object.keys(dependencies ?? {});
  return names.map((name) => {
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

/** The license of the package at a path of the lock file. */
export function licenseAt(path: string): string {
  return packages[path]?.license ?? "none stated";
}

/** `name version` of the package at a path of the lock file. */
function named(path: string): string {
  return `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)} ${packages[path]?.version}`;
}

/** The packages that are delivered with Zonewright, by license and then by name: `name version`. The license of most comes first. */
export function deliveredLicenses(): [license: string, packages: string[]][] {
  const paths = new Set(
    ["", "client-sdk", "web"].flatMap((part) => dependenciesOf(part)).flatMap(({ brings }) => brings),
  );
  const others = [...paths].filter((path) => packages[path]?.link !== true);
  const byLicense = Object.entries(Object.groupBy(others, licenseAt)).map(
    ([license, some = []]): [string, string[]] => [
      license,
      // A package may be installed at several paths.
      [...new Set(some.map(named))].toSorted(),
    ],
  );
  return byLicense.toSorted(([a, few], [b, many]) => many.length - few.length || (a < b ? -1 : 1));
}
