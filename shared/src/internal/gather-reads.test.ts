import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../errors/errors.ts';
import { alone, gatherReads, mostTogether } from './gather-reads.ts';

interface Running<Answer> {
  keys: readonly string[];
  end: (answer: Answer) => void;
  fail: (error: Error) => void;
}
type Values = readonly (string | typeof alone)[];
/** Single reads and batches that are under way, oldest first. */
let singles: Running<string>[];
let batches: Running<Values>[];
let read: (key: string) => Promise<string>;

beforeEach(() => {
  // Only the limit after which a request keeps no other one waiting is moved by hand.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  singles = [];
  batches = [];
  read = gatherReads({
    readOne: (key: string) =>
      new Promise<string>((end, fail) => void singles.push({ keys: [key], end, fail })),
    readMany: (keys: readonly string[]) =>
      new Promise<Values>((end, fail) => void batches.push({ keys, end, fail })),
  });
});
afterEach(() => void vi.useRealTimers());

async function settled(): Promise<void> {
  for (let n = 0; n < 4; n++) await new Promise((resolve) => setImmediate(resolve));
}
async function readAll(keys: readonly string[]): Promise<Promise<string>[]> {
  const answers = keys.map(read);
  for (const answer of answers) answer.catch(() => {});
  await settled();
  return answers;
}
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
/** Two single reads, as many as there may be requests at once. Whatever is read next has to wait for one of them. */
const occupy = async () => [...(await readAll(['first'])), ...(await readAll(['second']))];

test('look-ups that come while two requests are under way share the next one, which is sent when one of the two has ended', async () => {
  await occupy();
  const answers = [...(await readAll(['a'])), ...(await readAll(['b']))];
  expect([singles.length, batches.length]).toEqual([2, 0]);
  singles[1]?.end('second');
  await settled();
  expect(batches.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  batches[0]?.end(['A', 'B']);
  expect(await Promise.all(answers)).toEqual(['A', 'B']);
});

test('a look-up that comes while its key is being read is sent anew, and later ones share that request', async () => {
  const before = await occupy();
  const answers = [...(await readAll(['first'])), ...(await readAll(['first']))];
  singles[0]?.end('old');
  await settled();
  expect(singles.map(({ keys }) => keys)).toEqual([['first'], ['second'], ['first']]);
  singles[2]?.end('new');
  expect(await Promise.all([before[0], ...answers])).toEqual(['old', 'new', 'new']);
});

test('a request without an answer for 20 ms keeps no other look-up waiting, and its late answer frees no place twice', async () => {
  const before = await occupy();
  const answers = await readAll(['a']);
  vi.advanceTimersByTime(20);
  await settled();
  expect(singles.map(({ keys }) => keys)).toEqual([['first'], ['second'], ['a']]);
  const fourth = await readAll(['b']);
  const fifth = await readAll(['c']);
  singles[0]?.end('late');
  singles[1]?.end('late');
  await settled();
  expect(singles.map(({ keys }) => keys).slice(3)).toEqual([['b']]);
  for (const { keys, end } of singles.slice(2)) end(`${keys[0]} read`);
  await settled();
  singles[4]?.end('c read');
  expect(await Promise.all([...before, ...answers, ...fourth, ...fifth])).toEqual([
    'late',
    'late',
    'a read',
    'b read',
    'c read',
  ]);
});

test('look-ups of the same key that wait are sent once, and each gets the answer', async () => {
  await occupy();
  const answers = await readAll(['a', 'b', 'a', 'a']);
  singles[1]?.end('second');
  await settled();
  expect(batches.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  batches[0]?.end(['A', 'B']);
  expect(await Promise.all(answers)).toEqual(['A', 'B', 'A', 'A']);
});

test('no request has more look-ups than fit, and at most two are under way', async () => {
  const answers = await readAll(names('a', 2 * mostTogether + 3));
  expect(batches.map(({ keys }) => keys.length)).toEqual([mostTogether, mostTogether]);
  for (const { keys, end } of batches.splice(0)) end(keys);
  await settled();
  expect(batches.map(({ keys }) => keys.length)).toEqual([3]);
  for (const { keys, end } of batches.splice(0)) end(keys);
  expect(await Promise.all(answers)).toEqual(names('a', 2 * mostTogether + 3));
});

test('an answer that is missing or cannot be understood is read alone, and the others are taken as they are', async () => {
  const answers = await readAll(['a', 'b', 'c']);
  batches[0]?.end(['A', alone]);
  await settled();
  expect(singles.map(({ keys }) => keys)).toEqual([['b'], ['c']]);
  for (const { keys, end } of singles) end(`${keys[0]} alone`);
  expect(await Promise.all(answers)).toEqual(['A', 'b alone', 'c alone']);
});

test('a batch that fails as a whole fails each look-up as unavailable, and the next look-up is sent again', async () => {
  const answers = await readAll(['a', 'b']);
  batches.splice(0)[0]?.fail(new AppError('DEPENDENCY_UNAVAILABLE', { cause: new Error('silent') }));
  const errors = await Promise.all(answers.map((answer) => answer.catch((error: unknown) => error)));
  for (const error of errors) expect(error).toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE', status: 503 });
  expect(errors[0]).not.toBe(errors[1]);
  await readAll(['a', 'b']);
  expect(batches.map(({ keys }) => keys)).toEqual([['a', 'b']]);
});

test('a key that no URL can hold fails alone', async () => {
  const other = gatherReads<string, string>({
    readOne: (key) => {
      throw new URIError(key);
    },
    readMany: async () => [alone, 'B', alone],
  });
  const [a, b, c] = ['\ud800', 'b', '\udfff'].map(other);
  await Promise.all([expect(a).rejects.toThrow(URIError), expect(c).rejects.toThrow(URIError)]);
  expect(await b).toBe('B');
  await expect(other('\ud800')).rejects.toThrow(URIError);
});

test('requests that are not answered within 20 ms keep no other look-up waiting, and count only once when they end', async () => {
  const [first, second] = await occupy();
  const waiting = await readAll(['a', 'b']);
  vi.advanceTimersByTime(19);
  await settled();
  expect(batches.length).toBe(0);
  vi.advanceTimersByTime(1);
  await settled();
  expect(batches.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  singles[0]?.end('late');
  singles[1]?.fail(new AppError('DEPENDENCY_UNAVAILABLE'));
  expect(await first).toBe('late');
  await expect(second).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
  // One batch is under way, so one more request may be sent, and no third one.
  await readAll(['c']);
  await readAll(['d']);
  expect(singles.map(({ keys }) => keys)).toEqual([['first'], ['second'], ['c']]);
  batches[0]?.end(['A', 'B']);
  expect(await Promise.all(waiting)).toEqual(['A', 'B']);
});
