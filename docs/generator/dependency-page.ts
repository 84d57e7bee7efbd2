import { dependenciesOf, licenseAt } from "../../web/licenses.ts";
import { generatedNote, page, table } from "./markdown.ts";

/** What is installed with dependencies, by its folder in the lock file. The console and the command line are bundled. */
const parts = [
  ["The service", ""],
  ["The client", "client-sdk"],
] as const;

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
  const licenses = Object.groupBy(all, licenseAt);
  const rows = Object.entries(licenses)
    .map(([license, paths = []]): [string, number] => [license, paths.length])
    .toSorted(([a, few], [b, many]) => many - few || a.localeCompare(b, "en"));
  return page(
    generatedNote,
    "# Dependencies",
    "See which packages a production installation has, and their licenses. [0001](../decisions/0001-dependencies.md) says what each is for. The last column counts the packages that each one needs; several may need the same. For packages with programs for one system, those for Linux on x64 count. The web console and the command line are bundled and install none.",
    "The console lists every package, and those it is built from, under **System**. For an SBOM, see [Deployment](../operations/deployment.md#what-is-in-it).",
    ...sections,
    "## Licenses",
    `Of all ${all.size} packages:`,
    table(
      ["license", "packages"],
      rows.map(([license, count]) => [license, String(count)]),
    ),
  );
}
