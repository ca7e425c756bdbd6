import { expect, it } from 'vitest';
import { compareWithRecorded, listRecorded, writeRecorded } from './compare.ts';
import { recordAll } from './record-all.ts';

const { TEST_POSTGRES_URL: postgres, ORACLE_RECORD } = process.env;

if (!postgres) {
  it.skip('the oracle needs a Postgres', () => {});
} else {
  const texts = await recordAll(postgres);
  if (ORACLE_RECORD) writeRecorded(texts);
  it('the oracle has the files that a run makes, no more and no fewer', () => {
    expect(listRecorded().sort()).toEqual([...texts.keys()].sort());
  });
  it.each([...texts.keys()])('what clients and operators see is as recorded in %s', (file) => {
    const difference = compareWithRecorded(file, texts.get(file) ?? '');
    if (difference !== null) expect.fail(difference);
  });
}
