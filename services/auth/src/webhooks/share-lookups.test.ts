import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { shareLookups } from './share-lookups.ts';

const found: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** A name server that answers when it is told to. */
function makeNames() {
  const asked: { hostname: string; end: PromiseWithResolvers<LookupAddress[]> }[] = [];
  const lookup = shareLookups((hostname) => {
    const end = Promise.withResolvers<LookupAddress[]>();
    asked.push({ hostname, end });
    return end.promise;
  });
  const ask = (hostname: string, all = true) =>
    new Promise((resolve, reject) => {
      lookup(hostname, { all }, (error, address, family) =>
        error ? reject(error) : resolve(all ? address : { address, family }),
      );
    });
  return { asked, ask };
}

test('while a name server is silent, one question about a name is under way, and other names are asked for', async () => {
  const { asked, ask } = makeNames();
  const answers = [ask('silent'), ask('silent'), ask('silent', false), ask('other')];
  expect(asked.map(({ hostname }) => hostname)).toEqual(['silent', 'other']);
  for (const { end } of asked) end.resolve(found);
  expect(await Promise.all(answers)).toEqual([found, found, found[0], found]);
});

test('a name is asked for again after each answer, so a changed address is noticed', async () => {
  const { asked, ask } = makeNames();
  const first = ask('receiver');
  asked[0]?.end.resolve(found);
  await first;
  void ask('receiver');
  expect(asked).toHaveLength(2);
});

test('a name that is not known fails for everybody who waits, and is asked for again', async () => {
  const { asked, ask } = makeNames();
  const answers = Promise.allSettled([ask('unknown'), ask('unknown')]);
  const fault = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
  asked[0]?.end.reject(fault);
  expect(await answers).toEqual(Array(2).fill({ status: 'rejected', reason: fault }));
  void ask('unknown');
  expect(asked).toHaveLength(2);
});
