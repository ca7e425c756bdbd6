import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHost } from './host.fixture.ts';
import { createQueryReader } from './validation.ts';

let host: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.app.close());

test.each([
  '0x10',
  '0b1',
  '1e1',
  '%201',
  '1%20',
  '+5',
  '%2B5',
  '5.0',
  '1_0',
  '%D9%A5',
  'Infinity',
  'true',
  'null',
])('limit=%s is a 400 that names the member, as it is no integer in decimal digits', async (written) => {
  const response = await fetch(`${host.url}/things?limit=${written}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ path: '/limit', message: 'must be integer' }],
  });
});

test('decimal digits in a query are an integer, and its bounds apply', async () => {
  const ask = async (written: string) => (await fetch(`${host.url}/things?limit=${written}`)).json();
  expect(await ask('16')).toEqual({ limit: 16 });
  expect(await ask('-1')).toMatchObject({ errors: [{ path: '/limit', message: 'must be >= 1' }] });
});

test('fractions and truth values in a query are converted where the schema demands them, and a text of digits stays a text', () => {
  const types = {
    size: 'number',
    on: 'boolean',
    off: 'boolean',
    q: 'string',
    wrong: 'boolean',
    odd: 'number',
  };
  const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  const query = { size: '-1.5', on: 'true', off: 'false', q: '7', wrong: '1', odd: '.5', other: '8' };
  createQueryReader({ type: 'object', properties })(query);
  expect(query).toEqual({ size: -1.5, on: true, off: false, q: '7', wrong: '1', odd: '.5', other: '8' });
});
