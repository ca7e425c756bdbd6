import { expect, it } from 'vitest';
import type { PutRequest } from './ports.ts';
import { createFakePorts } from './testing/fake-ports.ts';
import { createMapMemory, lazyFile, textFile, uploadHere } from './testing/upload-here.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';

const files = ['a.ts', 'b.ts', 'c.ts', 'd.m3u8'].map((path) => textFile(path));

it('aborting ends the running requests, begins no other, and the result reports what is done', async () => {
  const controller = new AbortController();
  const memory = createMapMemory();
  const inFlight = ({ signal }: PutRequest) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      setImmediate(() => controller.abort());
    });
  const { ports, puts, waits } = createFakePorts({
    answerPut: (n, request) => (n === 0 ? {} : inFlight(request)),
  });
  const result = await uploadHere(files, ports, { signal: controller.signal, memory, concurrency: 1 });
  expect(result.complete).toBe(false);
  expect(result.files.map(({ status, attempts, error }) => [status, attempts, error?.code])).toEqual([
    ['uploaded', 1, undefined],
    ['aborted', 1, 'ABORTED'],
    ['aborted', 0, 'ABORTED'],
    ['aborted', 0, 'ABORTED'],
  ]);
  expect([puts.length, waits, memory.records.size]).toEqual([2, [], 1]);
  expect(puts[1]?.signal.aborted).toBe(true);
});

it('aborting ends a pause before another attempt', async () => {
  const controller = new AbortController();
  const { ports } = createFakePorts({ answerPut: () => ({ status: 503 }) });
  const wait = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal === controller.signal) setImmediate(() => controller.abort());
    });
  const result = await uploadHere([textFile('a.ts')], { ...ports, wait }, { signal: controller.signal });
  expect(result.files[0]).toMatchObject({ status: 'aborted', attempts: 1 });
});

const never = () => new Promise<never>(() => {});
it.each<[string, Partial<UploadOptions>, UploadFile[]]>([
  ['auth', { auth: never }, [lazyFile('a.ts')]],
  ['exists', { exists: never }, [lazyFile('a.ts')]],
  ['memory.get', { memory: { get: never, set: never } }, [lazyFile('a.ts')]],
  ['the function that opens a file', {}, [{ path: 'a.ts', size: 1, data: never }]],
  ['the function that opens a playlist', {}, [{ path: 'a.m3u8', size: 1, data: never }]],
])('aborting ends an upload that waits for %s', async (_, options, waiting) => {
  const controller = new AbortController();
  const { ports, puts } = createFakePorts();
  const uploaded = uploadHere([...waiting, lazyFile('b.ts')], ports, {
    ...options,
    signal: controller.signal,
    concurrency: 1,
  });
  // By then it waits: what comes before takes no time.
  setImmediate(() => controller.abort());
  const { files, complete } = await uploaded;
  expect([complete, files.map(({ status }) => status)]).toEqual([false, ['aborted', 'aborted']]);
  expect(puts).toEqual([]);
});

it('aborting ends an upload that waits for memory.set, and the result reports that the file has arrived', async () => {
  const controller = new AbortController();
  const { ports } = createFakePorts();
  const set = () => {
    setImmediate(() => controller.abort());
    return never();
  };
  const { files: results } = await uploadHere([textFile('a.ts'), textFile('b.ts')], ports, {
    memory: { get: () => undefined, set },
    signal: controller.signal,
    concurrency: 1,
  });
  expect(results.map(({ status }) => status)).toEqual(['uploaded', 'aborted']);
});

it('an upload that is aborted before it begins makes no request and fetches no token', async () => {
  const { ports, presigns } = createFakePorts();
  let asked = 0;
  const auth = () => `${++asked}`;
  const result = await uploadHere(files, ports, { auth, signal: AbortSignal.abort() });
  expect(result.files.map(({ status }) => status)).toEqual(Array(4).fill('aborted'));
  expect([presigns.length, asked]).toEqual([0, 0]);
});
