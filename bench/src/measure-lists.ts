import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOwnPostgres } from '@latchkey/rig/stores/own-stores';
import { migrate, openDatabase } from '@latchkey/shared/db';
import { fillLists } from '@latchkey/shared/testing';
import { listSizes } from './dashboard/list-interactions.ts';
import { median } from './quantile.ts';
import { adminKey, startSingleNode } from './servers.ts';

// How long each list of the API takes among many rows, over HTTP:
//   node bench/src/measure-lists.ts [sqlite|postgres]

/** How long a page of the dashboard may take. */
const limitMs = 300;
const rounds = 5;
const dayMs = 86_400_000;

/** Paths by what they list. */
function listPaths(now: number): Record<string, string> {
  const time = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  const late = Buffer.from(`${now - 80_000_000}:x`).toString('base64url');
  return {
    'API keys': '/api/v1/api-keys?limit=100',
    'API keys, part of a name': '/api/v1/api-keys?limit=100&q=workshop%207777',
    'API keys, nothing of that name': '/api/v1/api-keys?limit=100&q=nothing',
    'API keys, admin': '/api/v1/api-keys?limit=100&scope=admin',
    'API keys, never expire': '/api/v1/api-keys?limit=100&expires=never&status=active',
    'API keys, expire within 14 days': '/api/v1/api-keys?limit=100&expires=within-14-days',
    'API keys, unused 90 days': '/api/v1/api-keys?limit=100&unusedDays=90',
    'API keys, unused 199 days, rare': '/api/v1/api-keys?limit=100&unusedDays=199&scope=admin',
    contents: '/api/v1/content?limit=50',
    'contents, last page': '/api/v1/content?limit=50&offset=99950',
    'contents, part of a name': '/api/v1/content?limit=50&q=part%20777',
    'contents, all match': '/api/v1/content?limit=50&q=film',
    'contents, none matches': '/api/v1/content?limit=50&q=nothing',
    'contents, disabled': '/api/v1/content?limit=50&status=disabled',
    leases: '/api/v1/leases?limit=100',
    'leases, deep page': `/api/v1/leases?limit=100&cursor=${late}`,
    'leases, active': '/api/v1/leases?limit=100&state=active',
    'leases, active, after the last one': `/api/v1/leases?limit=100&state=active&cursor=${late}`,
    'leases, expired, older than all active': '/api/v1/leases?limit=100&state=expired',
    'leases, revoked': '/api/v1/leases?limit=100&state=revoked',
    'leases of a content with half of them': '/api/v1/leases?limit=100&contentId=content-0',
    'the same, expired': '/api/v1/leases?limit=100&contentId=content-0&state=expired',
    'leases of a viewer with a twentieth': '/api/v1/leases?limit=100&viewerId=viewer-0&state=expired',
    'leases of a viewer and a content': '/api/v1/leases?limit=100&viewerId=viewer-21&contentId=content-0',
    audit: '/api/v1/audit',
    'audit, one action': '/api/v1/audit?action=lease.revoke',
    'audit, a kind of actor': '/api/v1/audit?actor=viewer',
    'audit, done, one of a hundred': '/api/v1/audit?outcome=done',
    'audit, one target': '/api/v1/audit?target=content-77',
    'audit, one day': `/api/v1/audit?from=${time(now - 20 * dayMs)}&to=${time(now - 19 * dayMs)}`,
    'audit, filters that rarely meet': '/api/v1/audit?action=content.update&outcome=done&actor=viewer',
    statistics: '/api/v1/statistics',
  };
}

/** Milliseconds of each round: one request, read to the end. */
async function timePath(url: string, path: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const beganAt = performance.now();
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${adminKey}` } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    times.push(performance.now() - beganAt);
  }
  return times;
}

async function main(kind: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lists-'));
  const postgres = kind === 'postgres' ? await startOwnPostgres() : null;
  const sqlitePath = join(folder, 'latchkey.db');
  const now = Date.now();
  try {
    const db = openDatabase({ databaseUrl: postgres?.url, sqlitePath, longStatements: true });
    await migrate(db);
    await fillLists(db, listSizes, now);
    await db.destroy();
    const server = await startSingleNode(
      postgres ? { DATABASE_URL: postgres.url } : { SQLITE_PATH: sqlitePath },
    );
    console.log(`| ${kind} | first | median | longest |\n|---|---|---|---|`);
    let tooLong = 0;
    for (const [name, path] of Object.entries(listPaths(now))) {
      const times = await timePath(server.url, path);
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

await main(process.argv[2] ?? 'sqlite');
