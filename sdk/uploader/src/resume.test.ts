import { describe, expect, it } from 'vitest';
import { createLocalStorageMemory } from './index.ts';
import { createFakePorts } from './testing/fake-ports.ts';
import { createMapMemory, textFile, uploadHere } from './testing/upload-here.ts';

const files = ['a.ts', 'b.ts', 'c.ts'].map((path) => textFile(path));
const statuses = (result: { files: readonly { status: string }[] }) =>
  result.files.map(({ status }) => status);

describe('an upload that is repeated', () => {
  it('a repeated upload skips files that have arrived, and counts them as progress', async () => {
    const memory = createMapMemory();
    const first = createFakePorts({
      answerPut: (_, { url }) => ({ status: url.includes('b.ts') ? 400 : 200 }),
    });
    expect(statuses(await uploadHere(files, first.ports, { memory }))).toEqual([
      'uploaded',
      'failed',
      'uploaded',
    ]);

    const second = createFakePorts();
    const loaded: number[] = [];
    const onProgress = ({ loadedBytes }: { loadedBytes: number }) => void loaded.push(loadedBytes);
    const result = await uploadHere(files, second.ports, { memory, onProgress, concurrency: 1 });
    expect(result).toMatchObject({ complete: true, uploadedBytes: 4, skippedBytes: 8, totalBytes: 12 });
    expect(statuses(result)).toEqual(['skipped', 'uploaded', 'skipped']);
    expect(result.files[0]?.etag).toBe('"e"');
    expect(second.puts).toHaveLength(1);
    expect(loaded).toEqual([4, 8, 12]);
  });

  it('a file is remembered only once the store has acknowledged it', async () => {
    const memory = createMapMemory();
    const { ports } = createFakePorts({
      answerPut() {
        expect(memory.records.size).toBe(0);
        return {};
      },
    });
    await uploadHere([textFile('a.ts')], ports, { memory });
    expect([...memory.records]).toEqual([
      [
        'https://keys.example.com content/film/a.ts',
        { size: 4, fingerprint: expect.stringMatching(/^sha256 /), etag: '"e"' },
      ],
    ]);
  });

  it.each([
    ['other bytes', textFile('a.ts', 'A.ts'), {}],
    ['another size', textFile('a.ts', 'a.ts!'), {}],
    ['another content', textFile('a.ts'), { contentId: 'other' }],
    ['another Cache-Control', textFile('a.ts'), { cacheControl: { segments: 'no-cache' } }],
    ['another key server', textFile('a.ts'), { keyServerUrl: 'https://other.example.com' }],
  ])('a repeated upload sends a file again that has %s', async (_, file, options) => {
    const memory = createMapMemory();
    const { ports } = createFakePorts();
    await uploadHere([textFile('a.ts')], ports, { memory });
    expect(statuses(await uploadHere([file], ports, { memory, ...options }))).toEqual(['uploaded']);
  });

  it('a repeated upload with the same Cache-Control skips files that have arrived', async () => {
    const options = { memory: createMapMemory(), cacheControl: { segments: 'no-cache' } };
    const { ports } = createFakePorts();
    await uploadHere([textFile('a.ts')], ports, options);
    expect(statuses(await uploadHere([textFile('a.ts')], ports, options))).toEqual(['skipped']);
  });

  it('a file without a fingerprint is not remembered', async () => {
    const memory = createMapMemory();
    const { ports } = createFakePorts();
    const file = { path: 'a.ts', size: 1, data: () => new Blob(['x']) };
    await uploadHere([file], ports, { memory });
    expect(memory.records.size).toBe(0);
    expect(statuses(await uploadHere([file], ports, { memory }))).toEqual(['uploaded']);
  });

  it('`exists` overrides the memory, and its error counts as no', async () => {
    const memory = createMapMemory();
    const { ports } = createFakePorts();
    await uploadHere([textFile('a.ts'), textFile('c.ts')], ports, { memory });
    const asked: unknown[] = [];
    const exists = async (key: string, _file: unknown, remembered: unknown) => {
      asked.push([key, remembered !== undefined]);
      if (key.endsWith('c.ts')) throw new Error('no answer');
      return key.endsWith('b.ts');
    };
    const result = await uploadHere(files, ports, { memory, exists, concurrency: 1 });
    expect(asked).toEqual([
      ['content/film/a.ts', true],
      ['content/film/b.ts', false],
      ['content/film/c.ts', true],
    ]);
    expect(statuses(result)).toEqual(['uploaded', 'skipped', 'uploaded']);
  });

  it('an `exists` without an answer within 30 s counts as no', async () => {
    const { ports, puts, stall } = createFakePorts();
    const exists = () =>
      new Promise<boolean>(() => {
        setImmediate(() => stall());
      });
    expect(statuses(await uploadHere(files, ports, { exists, concurrency: 1 }))).toEqual(
      Array(3).fill('uploaded'),
    );
    expect(puts).toHaveLength(3);
  });

  it('a memory without an answer within 30 s is ignored, and the file is sent', async () => {
    const { ports, puts, stall } = createFakePorts();
    const hang = () => {
      setImmediate(stall);
      return new Promise<never>(() => {});
    };
    const result = await uploadHere([textFile('a.ts')], ports, { memory: { get: hang, set: hang } });
    expect([result.complete, puts.length]).toEqual([true, 1]);
  });

  it('a memory that fails is ignored', async () => {
    const { ports } = createFakePorts();
    const fail = () => {
      throw new Error('QuotaExceededError');
    };
    expect((await uploadHere(files, ports, { memory: { get: fail, set: fail } })).complete).toBe(true);
  });
});

describe('localStorage', () => {
  it('localStorage gets an item for each file, and an item that is not a record is ignored', async () => {
    const items = new Map<string, string>();
    const memory = createLocalStorageMemory({
      getItem: (name) => items.get(name) ?? null,
      setItem: (name, value) => void items.set(name, value),
    });
    const { ports } = createFakePorts();
    await uploadHere(files, ports, { memory });
    // In the order in which they were hashed, which is any.
    const names = ['a', 'b', 'c'].map(
      (name) => `latchkey-upload https://keys.example.com content/film/${name}.ts`,
    );
    expect([...items.keys()].sort()).toEqual(names);
    items.set(names[0] ?? '', '{"size":"4"}');
    expect(statuses(await uploadHere(files, ports, { memory }))).toEqual(['uploaded', 'skipped', 'skipped']);
  });
});
