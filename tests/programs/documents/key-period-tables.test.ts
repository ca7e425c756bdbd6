import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { runBlock } from '@latchkey/support/documents/run-block';
import { expect, it } from 'vitest';

const text = readDocument('docs/start/key-periods.md');
const server = await startSingleNode();
const { client, adminApiKey } = server;

/** The rows of the table below a heading cell, as numbers. */
function readTable(headings: string): number[][] {
  const [, after = ''] = text.split(headings);
  const rows = after.split('\n').slice(2);
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => Number.parseInt(cell, 10)),
  );
}

const periodsOf = async (id: string) =>
  (await client.get(`/api/v1/content/${id}`, adminApiKey)).json.content.keyPeriods;

it('the tables of docs/start/key-periods.md follow from its formulas, with the burst and the speed that the server chooses', async () => {
  const live = readTable('| `periodSeconds` | `ahead` 0 | `ahead` 1 | key requests of a viewer in an hour |');
  expect(live.length).toBeGreaterThan(3);
  for (const row of live) {
    const [period = 0] = row;
    expect(row).toEqual([period, period, 2 * period, 3_600 / period]);
  }
  const films = readTable('| `periodSeconds` | `burst` | a player as it is |');
  expect(films.length).toBeGreaterThan(3);
  for (const row of films) {
    const [period = 0] = row;
    const keyPeriods = { mode: 'sequence', count: 9_999, periodSeconds: period };
    const { json } = await client.post('/api/v1/content', adminApiKey, { name: 'A film', keyPeriods });
    const { burst, speed } = json.content.keyPeriods;
    const atOnce = burst * period;
    expect(row).toEqual([period, burst, 30 + 2 * period, atOnce, atOnce + (speed - 1) * 600]);
  }
});

it('the commands of docs/start/key-periods.md state the key periods of a film and of a live channel', async () => {
  await registerContent(server, 'film');
  await registerContent(server, 'channel');
  const commands = findBlock(readBlocks(text), 'sh', 'keyPeriods').replaceAll(
    'http://localhost:4100',
    server.url,
  );
  const env = { PATH: process.env.PATH, KEY: adminApiKey };
  await runBlock(commands.replaceAll('curl', 'curl --silent --fail'), { cwd: makeTestFolder(), env });
  expect(await periodsOf('film')).toMatchObject({ mode: 'sequence', count: 120, periodSeconds: 60 });
  expect(await periodsOf('channel')).toMatchObject({ mode: 'clock', periodSeconds: 30, ahead: 1 });
});
