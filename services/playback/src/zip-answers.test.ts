import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { createAnswerZip } from './zip-answers.ts';

const long = 'segment\n'.repeat(10_000);
async function* pieces(text: string, fault?: Error) {
  yield text.slice(0, 4_000);
  if (fault) throw fault;
  yield text.slice(4_000);
}

it('a long answer beyond the bound is sent as it is, until another one has ended, has failed or has lost its client', async () => {
  const { zip } = createAnswerZip(1);
  /** Waits until there is a place. */
  const take = (fault?: Error) =>
    vi.waitFor(async () => {
      const zipped = await zip(pieces(long, fault), long.length);
      if (!(zipped instanceof Readable)) throw new Error('no place is free');
      return zipped;
    });
  const whole = await take();
  expect(await zip(pieces(long), long.length)).toBe(null);
  expect(gunzipSync(await buffer(whole)).toString()).toBe(long);
  const failed = await take(new Error('the source is gone'));
  await expect(buffer(failed)).rejects.toThrow('the source is gone');
  const left = await take();
  left.destroy();
  await take();
});

it('an answer of one piece is compressed at once, whatever is under way', async () => {
  const short = long.slice(0, 5_000);
  const zipped = await createAnswerZip(0).zip(pieces(short), short.length);
  expect(Buffer.isBuffer(zipped) && gunzipSync(zipped).toString()).toBe(short);
});

it('a text that fits into a packet is sent as it is', async () => {
  expect(await createAnswerZip().zip(pieces('a'), 1_023)).toBe(null);
});
