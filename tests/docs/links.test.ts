import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { anchors, page, pages, type Page } from "../support/markdown.ts";

const root = join(import.meta.dirname, "../..");

function linksOf({ prose }: Page): string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** Returns what is wrong with a link to another page or place in the repository. */
async function brokenLink(from: Page, link: string): Promise<string[]> {
  if (/^[a-z]+:/i.test(link)) return [];
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? from.path : relative(root, join(root, dirname(from.path), path));
  if (!existsSync(join(root, target))) return [`${from.path}: there is no ${link}`];
  if (anchor === undefined) return [];
  return anchors(await page(target)).has(anchor) ? [] : [`${from.path}: ${link} has no such heading`];
}

test("every link within the documentation has a target", async () => {
  const all = await pages();
  expect(all.length).toBeGreaterThan(60);
  const broken = await Promise.all(all.flatMap((one) => linksOf(one).map((link) => brokenLink(one, link))));
  expect(broken.flat()).toEqual([]);
  const readme = await page("README.md");
  expect(linksOf(readme).length).toBeGreaterThan(3);
  expect(await brokenLink(readme, "docs/nowhere.md")).toHaveLength(1);
  expect(await brokenLink(readme, "docs/concepts.md#nowhere")).toHaveLength(1);
});

test("every page of the documentation can be reached from the README", async () => {
  const reached = new Set<string>();
  const follow = async (path: string): Promise<void> => {
    if (reached.has(path)) return;
    reached.add(path);
    const from = await page(path);
    const targets = linksOf(from)
      .filter((link) => !/^[a-z]+:|^#/i.test(link))
      .map((link) => relative(root, join(root, dirname(path), link.replace(/#.*/, ""))));
    for (const target of targets) if (target.endsWith(".md")) await follow(target);
  };
  await follow("README.md");
  const alone = (await pages()).map(({ path }) => path).filter((path) => !path.startsWith("docs/decisions/"));
  expect(alone.filter((path) => !reached.has(path))).toEqual([]);
});
