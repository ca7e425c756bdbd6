import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { fillDatabase, fillSettings } from './fill-database.ts';
import { type ListRequest, listRequests } from './list-paths.ts';
import { median } from './quantile.ts';
import { adminKey, startSingleNode } from './servers.ts';

// How long each list of the API takes among many rows, over HTTP:
//   node tests/bench/measure-lists.ts [sqlite|postgres] [only: a part of a name]
// It fills for some minutes and takes 5 GB of disk. With LISTS_DATABASE, a file or URL, it fills that once and leaves it.

/** How long a page of the dashboard may take. */
const limitMs = 300;
const rounds = 5;

/** Milliseconds of each round: one request, read to the end. */
async function timeRequest(url: string, { path, body }: ListRequest): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const beganAt = performance.now();
    const answer = await fetch(url + path, {
      headers: {
        authorization: `Bearer ${adminKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    times.push(performance.now() - beganAt);
  }
  return times;
}

async function main(kind: string, only: string): Promise<void> {
  const kept = process.env.LISTS_DATABASE;
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lists-'));
  const postgres = kind === 'postgres' && !kept ? await startOwnPostgres() : null;
  const databaseUrl = kind === 'postgres' ? (kept ?? postgres?.url) : undefined;
  const sqlitePath = (kind === 'sqlite' && kept) || join(folder, 'latchkey.db');
  try {
    const now = await fillDatabase(databaseUrl, sqlitePath, (line) => process.stderr.write(`${line}\n`));
    const database = databaseUrl ? { DATABASE_URL: databaseUrl } : { SQLITE_PATH: sqlitePath };
    const server = await startSingleNode(database, 'Latchkey', fillSettings);
    console.log(`| ${kind} | first | median | longest |\n|---|---|---|---|`);
    let tooLong = 0;
    for (const [name, request] of Object.entries(listRequests(now))) {
      if (!name.includes(only)) continue;
      const times = await timeRequest(server.url, request);
      const longest = Math.max(...times);
      const shown = [times[0] ?? Number.NaN, median(times), longest];
      console.log(`| ${[name, ...shown.map((ms) => `${Math.round(ms)} ms`)].join(' | ')} |`);
      if (longest > limitMs) tooLong++;
    }
    await server.stop();
    console.log(tooLong === 0 ? `all within ${limitMs} ms` : `${tooLong} took longer than ${limitMs} ms`);
    process.exitCode = tooLong === 0 ? 0 : 1;
  } finally {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(process.argv[2] ?? 'sqlite', process.argv[3] ?? '');
