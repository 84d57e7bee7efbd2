import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deleted, keptNotifications, Mailbox, read, unread, type Entry } from "../../server/notifications/mailbox.ts";

const told = {
  event: "zone.drift",
  title: "",
  content: "",
  level: "info",
  metadata: {},
  createdAt: new Date(0),
} as const;

function entry(index: number, progress: Entry["progress"] = unread): Entry {
  return { id: String(index).padStart(6, "0"), progress, told: progress === deleted ? null : told };
}

function stateOf(mailbox: Mailbox): string[] {
  return mailbox
    .entries()
    .map(({ id, progress }) => `${id} ${progress}`)
    .toSorted();
}

const progress = fc.constantFrom(unread, read, deleted);
const entries = fc.array(
  fc.tuple(fc.nat(30), progress).map(([index, state]) => entry(index, state)),
  { maxLength: 60 },
);

test("copies that hear of the same things in any order, some of them twice, agree", () => {
  fc.assert(
    fc.property(
      entries.chain((one) => fc.tuple(fc.constant(one), fc.shuffledSubarray(one, { minLength: one.length }), entries)),
      ([one, another, more]) => {
        const copies = [one, another].map((heard) => {
          const mailbox = new Mailbox();
          for (const heardEntry of [...heard, ...more, ...heard]) mailbox.merge(heardEntry);
          return mailbox;
        });
        expect(stateOf(copies[0] as Mailbox)).toEqual(stateOf(copies[1] as Mailbox));
      },
    ),
  );
});

test("what is deleted stays deleted, whatever an older copy says", () => {
  const mailbox = new Mailbox();
  mailbox.merge(entry(1));
  mailbox.advance(deleted);
  expect(mailbox.merge(entry(1, read))).toBeNull();
  expect(mailbox.list()).toEqual([]);
});

test("the oldest go, by age and not by when they came", () => {
  const mailbox = new Mailbox();
  for (let index = 1; index <= keptNotifications; index++) mailbox.merge(entry(index));
  expect(mailbox.merge(entry(0))).toBeNull();
  expect(mailbox.merge(entry(keptNotifications + 1))).not.toBeNull();
  expect(mailbox.get(entry(1).id)).toBeNull();
  expect(mailbox.list()).toHaveLength(keptNotifications);
});

test("a reader goes on after what they saw last, even when it was deleted since", () => {
  const mailbox = new Mailbox();
  for (let index = 1; index <= 4; index++) mailbox.merge(entry(index));
  mailbox.advance(deleted, [entry(2).id, entry(3).id]);
  expect(mailbox.after(entry(2).id)?.map(({ id }) => id)).toEqual([entry(4).id]);
  expect(mailbox.after(entry(4).id)).toEqual([]);
  expect(mailbox.after(entry(5).id)).toBeNull();
});

test("memory is bounded however much is told and deleted", () => {
  const mailbox = new Mailbox();
  for (let index = 0; index < 2_000; index++) {
    mailbox.merge(entry(index));
    if (index % 3 > 0) mailbox.advance(deleted, [entry(index).id]);
  }
  expect(mailbox.entries().length).toBeLessThanOrEqual(2 * keptNotifications);
});
