import { expect, it } from 'vitest';
import { findNeededStores } from './needed-stores.ts';

const texts: Record<string, string> = {
  'shared/bus.test.ts': 'process.env.TEST_NATS_URL',
  'shared/store.test.ts': 'describe.each(databaseKinds(process.env))',
  'shared/rule.test.ts': 'expect(1)',
  'shared/bus.ts': 'TEST_REDIS_URL',
};
const find = (...filters: string[]) =>
  Object.fromEntries(findNeededStores(filters, Object.keys(texts), (file) => texts[file] ?? ''));

it('a whole run needs the stores of all tests, and files other than tests need none', () => {
  expect(find()).toEqual({ Postgres: ['shared/store.test.ts'], NATS: ['shared/bus.test.ts'] });
});

it('a run of some files needs only the stores of those files', () => {
  expect(find('rule.test.ts')).toEqual({});
  expect(find('shared/bus')).toEqual({ NATS: ['shared/bus.test.ts'] });
});

it('the value of an option is not treated as a file', () => {
  expect(find('a name of a test')).toEqual(find());
});
