import { createInProcessBus } from '@latchkey/shared/events';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { expect, it } from 'vitest';
import { createAnnouncements } from './announcements.ts';
import type { Message } from './calls.ts';

const change = (number: number) => ({
  type: 'change' as const,
  number,
  at: 0,
  link: { id: 'a', previous: null },
  change: { kind: 'content' as const, contentId: 'x' },
});

function stage() {
  const announcements = createAnnouncements(createInProcessBus(() => {}));
  const sent: Message[] = [];
  announcements.add(1, (message) => sent.push(message));
  announcements.add(2, () => {});
  return { announcements, sent };
}

async function isDone(waiting: Promise<void> | null): Promise<boolean> {
  let done = waiting === null;
  void waiting?.then(() => {
    done = true;
  });
  for (let turn = 0; turn < 3; turn++) await Promise.resolve();
  return done;
}

it('an answer waits until every worker has applied the changes before it', async () => {
  const { announcements, sent } = stage();
  expect(announcements.settled()).toBe(null);
  announcements.bus.publish(change(1));
  expect(sent).toMatchObject([{ type: 'announcement', number: 1, message: { number: 1 } }]);
  const waiting = announcements.settled();
  announcements.noteApplied(1, 1);
  expect(await isDone(waiting)).toBe(false);
  announcements.noteApplied(2, 1);
  expect(await isDone(waiting)).toBe(true);
});

it('a change that comes later does not delay an answer that waits for an earlier one', async () => {
  const { announcements } = stage();
  announcements.bus.publish(change(1));
  const waiting = announcements.settled();
  announcements.bus.publish(change(2));
  announcements.noteApplied(1, 1);
  announcements.noteApplied(2, 1);
  expect(await isDone(waiting)).toBe(true);
  expect(await isDone(announcements.settled())).toBe(false);
});

it('a worker that ends is not waited for', async () => {
  const { announcements } = stage();
  announcements.bus.publish(change(1));
  const waiting = announcements.settled();
  announcements.noteApplied(1, 1);
  announcements.remove(2);
  expect(await isDone(waiting)).toBe(true);
});

it('a worker that does not react delays answers for a second once, and is waited for again when it has caught up', async () => {
  const time = stopTime();
  const { announcements } = stage();
  announcements.bus.publish(change(1));
  const waiting = announcements.settled();
  announcements.noteApplied(1, 1);
  time.advance(1_000);
  expect(await isDone(waiting)).toBe(true);
  announcements.bus.publish(change(2));
  announcements.noteApplied(1, 2);
  expect(announcements.settled()).toBe(null);
  announcements.noteApplied(2, 2);
  announcements.bus.publish(change(3));
  announcements.noteApplied(1, 3);
  expect(await isDone(announcements.settled())).toBe(false);
});

it('notices of the event stream are not sent to workers', () => {
  const { announcements, sent } = stage();
  announcements.bus.publish({ type: 'notice', notice: { topic: 'audit', event: 'recorded', data: {} } });
  expect(sent).toEqual([]);
});
