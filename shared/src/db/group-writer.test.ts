import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createGroupWriter,
  type Fate,
  type GroupWriter,
  groupsAtOnce,
  worthAnother,
} from './group-writer.ts';

/** Transactions that are running, oldest first: the requests of each, and how it ends. */
let running: {
  requests: readonly string[];
  end: (fates: readonly Fate<string>[]) => void;
  fail: (e: Error) => void;
}[];
let alone: { request: string; end: (result: string) => void; fail: (e: Error) => void }[];
let writer: GroupWriter<string, string>;

beforeEach(() => {
  // Only the time limit of waiting requests is moved by hand.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  running = [];
  alone = [];
  writer = createWriter();
});
afterEach(() => void vi.useRealTimers());

const createWriter = (subject: { subjectOf?: (request: string) => string } = {}) =>
  createGroupWriter<string, string>({
    writeTogether: (requests) => new Promise((end, fail) => void running.push({ requests, end, fail })),
    writeAlone: (request) => new Promise((end, fail) => void alone.push({ request, end, fail })),
    ...subject,
  });

const turn = () => new Promise((resolve) => setImmediate(resolve));
async function settled(): Promise<void> {
  for (let n = 0; n < 4; n++) await turn();
}
const written = (requests: readonly string[]) => requests.map((result) => ({ result }));
async function endNext(): Promise<void> {
  const next = running.shift();
  next?.end(written(next.requests));
  await settled();
}
const diskFull = () => Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
const badRow = () => Object.assign(new Error('bad row'), { code: 'SQLITE_CONSTRAINT' });

test('requests that come while a transaction runs share the next one, and each is answered after its own commit', async () => {
  const answered: string[] = [];
  const ask = (name: string) => void writer.write(name).then((result) => answered.push(result));
  ask('a');
  await settled();
  for (const name of ['b', 'c', 'd']) ask(name);
  await settled();
  expect(running.map(({ requests }) => requests)).toEqual([['a']]);
  await endNext();
  expect(answered).toEqual(['a']);
  expect(running.map(({ requests }) => requests)).toEqual([['b', 'c', 'd']]);
  await endNext();
  expect(answered).toEqual(['a', 'b', 'c', 'd']);
});

test('a transaction also takes the requests of connections that the event loop accepts one by one, each a turn before its request', async () => {
  // Before the writer's own turns, as sockets are read before it looks.
  let next = turn();
  const answers = [writer.write('0')];
  for (let n = 1; n < 50; n++) {
    // A turn that accepts a connection brings no request.
    for (let turns = 0; turns < 2; turns++) {
      await next;
      next = turn();
    }
    answers.push(writer.write(`${n}`));
  }
  await settled();
  expect(running.map(({ requests }) => requests.length)).toEqual([50]);
  await endNext();
  expect(await Promise.all(answers)).toHaveLength(50);
});

test('a transaction takes at most 128 requests, the oldest first', async () => {
  const answers = Array.from({ length: 300 }, (_, n) => writer.write(`${n}`));
  const sizes: number[] = [];
  await settled();
  while (running.length > 0) {
    sizes.push(running[0]?.requests.length ?? 0);
    await endNext();
  }
  expect(sizes).toEqual([128, 128, 44]);
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 300 }, (_, n) => `${n}`));
});

test('where the database refuses a transaction for what is in it, its requests are written one by one, and one fails alone', async () => {
  const answers = ['a', 'bad', 'c', 'd', 'e'].map((name) => writer.write(name));
  const outcome = Promise.allSettled(answers);
  await settled();
  running.shift()?.fail(badRow());
  await settled();
  expect(alone.map(({ request }) => request)).toEqual(['a', 'bad', 'c']);
  while (alone.length > 0) {
    const next = alone.shift();
    if (next?.request === 'bad') next.fail(badRow());
    else next?.end(next.request);
    await settled();
  }
  expect((await outcome).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
});

test('where the database cannot serve, every request of the transaction fails, and none is written again', async () => {
  const outcome = Promise.allSettled(['a', 'b', 'c'].map((name) => writer.write(name)));
  await settled();
  running.shift()?.fail(diskFull());
  expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await settled();
  expect([running.length, alone.length]).toEqual([0, 0]);
  const next = writer.write('d');
  await settled();
  await endNext();
  expect(await next).toBe('d');
});

test('a request that another transaction delays is written alone, and the others are answered meanwhile', async () => {
  const delayed = writer.write('delayed');
  const other = writer.write('other');
  await settled();
  running.shift()?.end(['alone', { result: 'other' }]);
  expect(await other).toBe('other');
  const later = writer.write('later');
  await settled();
  await endNext();
  expect(await later).toBe('later');
  alone[0]?.end('delayed');
  expect(await delayed).toBe('delayed');
});

test('a request that depends on another one is the first of the next transaction', async () => {
  const answers = ['a', 'again', 'c'].map((name) => writer.write(name));
  await settled();
  const first = running.shift();
  const newer = writer.write('newer');
  first?.end([{ result: 'a' }, 'later', { refusal: new Error('no') }]);
  await expect(answers[2]).rejects.toThrow('no');
  await settled();
  expect(running.map(({ requests }) => requests)).toEqual([['again', 'newer']]);
  await endNext();
  expect(await Promise.all([answers[0], answers[1], newer])).toEqual(['a', 'again', 'newer']);
});

test('behind a transaction that does not end, a request gets DEPENDENCY_UNAVAILABLE after 2 s, and is not written later', async () => {
  const first = writer.write('a');
  await settled();
  const waiting = writer.write('b');
  const refused = expect(waiting).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE', status: 503 });
  vi.advanceTimersByTime(2_000);
  await refused;
  await endNext();
  expect(await first).toBe('a');
  expect(running).toEqual([]);
});

test('requests beyond 4,096 that wait get DEPENDENCY_UNAVAILABLE at once', async () => {
  void writer.write('a');
  await settled();
  for (let n = 0; n < 4_096; n++) writer.write(`${n}`).catch(() => {});
  await expect(writer.write('one too many')).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
  await endNext();
  expect(running[0]?.requests).toHaveLength(128);
  vi.advanceTimersByTime(2_000);
});

describe('where the database runs several transactions', () => {
  beforeEach(() => {
    writer = createWriter({ subjectOf: (request) => request.charAt(0) });
  });
  const inWork = () => running.map(({ requests }) => requests);
  const endOf = async (n: number) => {
    const [ended] = running.splice(n, 1);
    ended?.end(written(ended.requests));
    await settled();
  };

  /** Requests of different subjects. */
  const crowd = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => String.fromCharCode(0x4e00 + from + n));
  const ask = (names: readonly string[]) => Promise.all(names.map((name) => writer.write(name)));

  test('a second transaction begins for many requests that come while one runs, and fewer wait for the next', async () => {
    const first = ask(['a1']);
    await settled();
    const few = crowd(0, worthAnother - 1);
    const answers = ask(few);
    await settled();
    expect(inWork()).toEqual([['a1']]);
    const last = ask(['z1']);
    await settled();
    expect(inWork()).toEqual([['a1'], [...few, 'z1']]);
    const later = ask(crowd(100, 2 * worthAnother));
    await settled();
    expect(running.length).toBe(groupsAtOnce);
    await endOf(1);
    expect(inWork()).toEqual([['a1'], crowd(100, 2 * worthAnother)]);
    await endOf(1);
    await endOf(0);
    expect((await Promise.all([first, answers, last, later])).flat()).toHaveLength(1 + 3 * worthAnother);
  });

  test('requests with one subject are never in two transactions at the same time, and keep their order', async () => {
    const first = ask(['a1', 'b1']);
    await settled();
    const others = crowd(0, worthAnother);
    const later = ask(['a2', ...others, 'b2', 'a3']);
    await settled();
    expect(inWork()).toEqual([['a1', 'b1'], others]);
    await endOf(1);
    // Nothing else can be written now, and nothing is lost.
    expect(inWork()).toEqual([['a1', 'b1']]);
    await endOf(0);
    expect(inWork()).toEqual([['a2', 'b2', 'a3']]);
    await endOf(0);
    expect(await first).toEqual(['a1', 'b1']);
    expect(await later).toEqual(['a2', ...others, 'b2', 'a3']);
  });

  test('many requests with the subject of a running transaction wait for it, and none is lost', async () => {
    const first = ask(['a1']);
    await settled();
    const names = Array.from({ length: 3 * worthAnother }, (_, n) => `a${n + 2}`);
    const later = ask(names);
    await settled();
    expect(inWork()).toEqual([['a1']]);
    await endOf(0);
    expect(inWork()).toEqual([names]);
    await endOf(0);
    expect([await first, await later]).toEqual([['a1'], names]);
  });

  test('after a transaction that failed, its subjects can be written again', async () => {
    const lost = writer.write('a1');
    await settled();
    running.shift()?.fail(diskFull());
    await expect(lost).rejects.toThrow('full');
    const answer = writer.write('a2');
    await settled();
    expect(inWork()).toEqual([['a2']]);
    await endOf(0);
    expect(await answer).toBe('a2');
  });
});
