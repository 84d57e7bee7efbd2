import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  deleted,
  notificationsPerUser,
  NotificationLog,
  read,
  unread,
  type Entry,
} from "../../server/notifications/notification-log.ts";

const message = {
  event: "zone.drift",
  title: "",
  content: "",
  level: "info",
  metadata: {},
  createdAt: new Date(0),
} as const;

function entry(index: number, progress: Entry["progress"] = unread): Entry {
  return { id: String(index).padStart(6, "0"), progress, message: progress === deleted ? null : message };
}

function stateOf(log: NotificationLog): string[] {
  return log
    .entries()
    .map(({ id, progress }) => `${id} ${progress}`)
    .toSorted();
}

const progress = fc.constantFrom(unread, read, deleted);
const entries = fc.array(
  fc.tuple(fc.nat(30), progress).map(([index, state]) => entry(index, state)),
  { maxLength: 60 },
);

test("copies of the log that receive the same entries in any order, with repetitions, are equal", () => {
  fc.assert(
    fc.property(
      entries.chain((one) => fc.tuple(fc.constant(one), fc.shuffledSubarray(one, { minLength: one.length }), entries)),
      ([one, another, more]) => {
        const copies = [one, another].map((heard) => {
          const log = new NotificationLog();
          for (const heardEntry of [...heard, ...more, ...heard]) log.merge(heardEntry);
          return log;
        });
        expect(stateOf(copies[0] as NotificationLog)).toEqual(stateOf(copies[1] as NotificationLog));
      },
    ),
  );
});

test("a deleted notification stays deleted when an older copy of it arrives", () => {
  const log = new NotificationLog();
  log.merge(entry(1));
  log.advance(deleted);
  expect(log.merge(entry(1, read))).toBeNull();
  expect(log.list()).toEqual([]);
});

test("the log drops the oldest notifications by age, not by arrival", () => {
  const log = new NotificationLog();
  for (let index = 1; index <= notificationsPerUser; index++) log.merge(entry(index));
  expect(log.merge(entry(0))).toBeNull();
  expect(log.merge(entry(notificationsPerUser + 1))).not.toBeNull();
  expect(log.get(entry(1).id)).toBeNull();
  expect(log.list()).toHaveLength(notificationsPerUser);
});

test("a reader resumes after the last seen notification, even if it has been deleted", () => {
  const log = new NotificationLog();
  for (let index = 1; index <= 4; index++) log.merge(entry(index));
  log.advance(deleted, [entry(2).id, entry(3).id]);
  expect(log.after(entry(2).id)?.map(({ id }) => id)).toEqual([entry(4).id]);
  expect(log.after(entry(4).id)).toEqual([]);
  expect(log.after(entry(5).id)).toBeNull();
});

test("the log's memory is bounded, however many notifications are added and deleted", () => {
  const log = new NotificationLog();
  for (let index = 0; index < 2_000; index++) {
    log.merge(entry(index));
    if (index % 3 > 0) log.advance(deleted, [entry(index).id]);
  }
  expect(log.entries().length).toBeLessThanOrEqual(2 * notificationsPerUser);
});
