import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long for their size, because they start other programs, wait or make many calls. The slowest come first. */
const slow = [
  "tests/services/reverse-follow.test.ts",
  "tests/services/failure/killed.test.ts",
  "tests/services/secondaries/large-zone.test.ts",
  "tests/services/failure/killed-at-random.test.ts",
  "tests/services/list-plans.test.ts",
  "tests/services/conformance/vendors.test.ts",
  "tests/services/conformance/command.test.ts",
  "tests/services/zone-files.test.ts",
  "tests/services/upgrading.test.ts",
  "tests/services/signing.test.ts",
  "tests/services/installation.test.ts",
  "tests/services/audit-stream.test.ts",
  "tests/services/backup.test.ts",
  "tests/services/conformance/powerdns-api.test.ts",
  "tests/services/failure/connection.test.ts",
  "tests/services/failure/refused.test.ts",
  "tests/services/batch-follow.test.ts",
  "tests/services/mirrors.test.ts",
  "tests/services/database-connection.test.ts",
  "tests/services/soak.test.ts",
  "tests/services/update-clients/programs.test.ts",
  "tests/services/conformance/updates.test.ts",
  "tests/services/views.test.ts",
  "tests/services/delegation.test.ts",
  "tests/services/import-all.test.ts",
  "tests/services/replace.test.ts",
  "tests/services/crash.test.ts",
  "tests/services/secondaries/killed.test.ts",
  "tests/services/secondaries/four.test.ts",
  "tests/services/mirrors-limits.test.ts",
  "tests/services/failure/writers.test.ts",
  "tests/services/conformance/zone-files.test.ts",
  "tests/services/secondaries/one-notifier.test.ts",
  "tests/zones/records/large-plans.test.ts",
  "tests/accounts/auth/access-ids.test.ts",
  "tests/compatibility/stored-api.test.ts",
  "tests/docs/examples.test.ts",
  "tests/accounts/users/reset-password.test.ts",
  "tests/accounts/auth/permissions.test.ts",
  "tests/platform/start.test.ts",
  "tests/openapi/consumer.test.ts",
  "tests/registry/delegation/served.test.ts",
  "tests/openapi/fuzz.test.ts",
  "tests/platform/hardening.test.ts",
  "tests/dns/server-rules/check-changes.test.ts",
  "tests/client-sdk/watch-notifications.test.ts",
  "tests/dns-providers/vendor-states.test.ts",
  "tests/zones/change-requests/races.test.ts",
  "tests/bulk/replacements/apply.test.ts",
  "tests/client-sdk/package.test.ts",
];

function order({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

/**
 * Runs the slowest files first, so that none of them ends the run alone. Vitest itself goes by the last run's durations; on a machine
 * without any it goes by the sizes of files.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = slow.indexOf(relative(this.ctx.config.root, moduleId).replaceAll("\\", "/"));
      return place === -1 ? slow.length : place;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own method
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => order(one) - order(other) || rank(one) - rank(other));
  }
}
