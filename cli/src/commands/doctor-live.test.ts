import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runbooks } from '../doctor/finding.ts';
import { startKeyServer } from '../testing/key-server.ts';
import { apiKey, apiKeyEnv, runCommand } from '../testing/run-command.ts';

const at = '2026-01-01T00:00:00.000Z';
const up = { status: 'up' };
const figures = { count: 100, p95Ms: 20, clientErrorShare: 0, serverErrorShare: 0 };
const process = {
  service: 'key-derivation',
  address: '10.0.0.1:4101',
  version: '0.3.0',
  startedAt: '2025-12-31T21:00:00.000Z',
  feedAgeMs: 400,
  feedLimitMs: 5_000,
  clockSkewMs: 2,
  clockAccuracyMs: 3,
};
const healthy = {
  at,
  keyRequests: { lastMinute: figures },
  changes: [] as object[],
  processes: [process] as object[],
  warnings: [] as object[],
  missing: [] as object[],
};

interface Shown {
  health?: unknown;
  ready?: [status: number, body: unknown];
  statistics?: [status: number, body: unknown];
}

/** Runs it against a server that answers like this. */
async function diagnose(shown: Shown, ...more: string[]) {
  const { url, seen } = await startKeyServer((request, response) => {
    const [status, body] = {
      '/health': [200, shown.health ?? { status: 'ok', version: '0.3.0', uptimeSeconds: 7_500 }] as const,
      '/ready': shown.ready ?? ([200, { status: 'ready', dependencies: { database: up } }] as const),
      '/api/v1/statistics?steps=1': shown.statistics ?? ([200, { statistics: healthy }] as const),
    }[request.url ?? ''] ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const args = ['doctor', '--live', `${url}/`, ...more];
  return { ...(await runCommand(args, { env: apiKeyEnv })), seen };
}

const withFigures = (members: Partial<typeof healthy>) =>
  diagnose({ statistics: [200, { statistics: { ...healthy, ...members } }] });

it('doctor --live shows what each process says of itself, and sends the API key to the statistics alone', async () => {
  const { exitCode, stdout, seen } = await diagnose({});
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    'ok       key-derivation 10.0.0.1:4101: runs 0.3.0, up 3 h 0 min, feed 400 ms old (limit 5.0 s), clock +2 ms (±3 ms)',
  );
  expect(stdout).toContain('answers as Latchkey 0.3.0, up 2 h 5 min');
  expect(seen.map(({ line, authorization }) => [line, authorization]).sort()).toEqual([
    ['GET /api/v1/statistics?steps=1', `Bearer ${apiKey}`],
    ['GET /health', undefined],
    ['GET /ready', undefined],
  ]);
});

const withProcess = (members: object) => ({ processes: [{ ...process, ...members }] });
const withRequests = (members: object) => ({ keyRequests: { lastMinute: { ...figures, ...members } } });
/** A revocation of a time before `at`, the replicas that do not have it yet, and the time of the slowest of the others. */
const withRevocation = (time: string, slowestMs: number, ...pending: string[]) => ({
  changes: [{ kind: 'leases', at: time, slowestMs, pending }],
});
const silent = { missing: [{ service: 'leases', address: '10.0.0.2:4102' }] };
const doubtful = { warnings: [{ code: 'TRUST_PROXY_ALL', severity: 'warning', detail: 'x' }] };

it.each<[string, Partial<typeof healthy>, RegExp]>([
  ['a feed older than 4 s', withProcess({ feedAgeMs: 4_100 }), /WRONG {4}key-derivation .*feed 4\.1 s old/],
  ['a feed that was never read', withProcess({ feedAgeMs: null }), /WRONG {4}.*not read the change feed/],
  ['a feed near its own shorter limit', withProcess({ feedAgeMs: 900, feedLimitMs: 1_000 }), /WRONG/],
  [
    'a clock that is off by more than tokens tolerate',
    withProcess({ clockSkewMs: -12_000 }),
    /clock -12\.0 s \(±3 ms\)\n.*NTP/,
  ],
  ['a process that did not report', silent, /WRONG {4}leases 10\.0\.0\.2:4102: did not/],
  [
    'a revocation that one replica lacks after 5 s',
    withRevocation('2025-12-31T23:59:54.000Z', 8, '10.0.0.9:4101'),
    /WRONG {4}revocations.*10\.0\.0\.9:4101 within 5\.0 s/,
  ],
  [
    'a revocation that took more than 5 s',
    withRevocation('2025-12-31T23:59:00.000Z', 5_100),
    /WRONG {4}revocations.*after 5\.1 s/,
  ],
  ['more than 0.1 % of 5xx', withRequests({ serverErrorShare: 0.01 }), /WRONG {4}key requests.*1 % 5xx/],
  ['a p95 over 500 ms', withRequests({ p95Ms: 510 }), /WRONG {4}key requests.*p95 510 ms/],
])('doctor --live ends with 1 and names %s', async (_, members, line) => {
  const { exitCode, stdout, stderr } = await withFigures(members);
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(line)]);
  expect(stderr).toContain('degraded: 1 wrong');
});

it.each<[string, Partial<typeof healthy>, RegExp]>([
  [
    'two versions at once',
    { processes: [process, { ...process, version: '0.2.9' }] },
    /warning {2}versions: differ: 0\.2\.9, 0\.3\.0/,
  ],
  [
    'a clock that is off by 2 s',
    withProcess({ clockSkewMs: 2_100, clockAccuracyMs: 100 }),
    /warning {2}key-derivation/,
  ],
  ['a p95 over 100 ms', withRequests({ p95Ms: 110 }), /warning {2}key requests/],
  ['a doubtful setting', doubtful, /warning {2}TRUST_PROXY_ALL: x/],
])('doctor --live warns of %s and ends with 0', async (_, members, line) => {
  const { exitCode, stdout } = await withFigures(members);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(line)]);
});

it.each<[string, Partial<typeof healthy>]>([
  [
    'a clock whose difference the round trip explains',
    withProcess({ clockSkewMs: 1_500, clockAccuracyMs: 600 }),
  ],
  ['a pending revocation that is younger than 5 s', withRevocation('2025-12-31T23:59:58.000Z', 1, 'a')],
  ['a slow revocation of an hour ago', withRevocation('2025-12-31T23:00:00.000Z', 9_000, 'a')],
])('doctor --live says nothing of %s', async (_, members) => {
  const { exitCode, stdout } = await withFigures(members);
  expect([exitCode, stdout]).toEqual([0, expect.not.stringMatching(/^(warning|WRONG) +(key-der|revoc)/m)]);
});

it('doctor --live ends with 1 while a dependency is down, also where the server stays ready, and names it', async () => {
  const dependencies = {
    leases: { status: 'down' },
    database: { status: 'degraded', writes: false },
    auth: up,
  };
  const { exitCode, stdout } = await diagnose({ ready: [200, { status: 'ready', dependencies }] });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /WRONG {4}leases: is down\n[\s\S]*WRONG {4}database: is degraded, writes false\n[\s\S]*docs\/operate\/runbooks\/stores\.md#latchkeydatabasereadonly\n[\s\S]*ok {7}auth: is up\n/,
  );
});

it('doctor --live ends with 1 while the server is not ready or its figures cannot be read', async () => {
  const notReady = await diagnose({ ready: [503, { status: 'not_ready', dependencies: {} }] });
  const noFigures = await diagnose({ statistics: [503, { code: 'DEPENDENCY_UNAVAILABLE' }] });
  expect([notReady.exitCode, notReady.stdout]).toEqual([
    1,
    expect.stringContaining('readiness: is not ready'),
  ]);
  expect([noFigures.exitCode, noFigures.stdout]).toEqual([
    1,
    expect.stringContaining('statistics answered 503'),
  ]);
});

it('doctor --live ends with 2 before something that is not Latchkey, and sends it no API key', async () => {
  const { exitCode, stdout, stderr, seen } = await diagnose({ health: '<html>' });
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('does not answer as Latchkey');
  expect(seen.map(({ authorization }) => authorization)).toEqual([undefined]);
});

it('doctor --live writes no control characters of a hostile server to the terminal, and survives members of other types', async () => {
  const hostile = { version: '\u001b[2J\u202e9', startedAt: 7, feedLimitMs: 'x', clockSkewMs: {} };
  const { stdout } = await withFigures({ ...withProcess(hostile), warnings: [7 as never, null as never] });
  expect(stdout).toContain('runs ?[2J?9');
  for (const character of ['\u001b', '\u202e']) expect(stdout).not.toContain(character);
});

it('doctor --live --json writes the findings and the processes, and nothing else', async () => {
  const { stdout } = await diagnose({}, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'healthy',
    version: '0.3.0',
    ready: true,
    processes: [process],
  });
  expect(JSON.parse(stdout).findings[0]).toMatchObject({ state: 'ok', about: 'server' });
});

it.each([
  [['--live', 'ftp://x'], /--live "ftp:\/\/x"; accepted/],
  [['--json'], /need --live/],
  [['--live', 'http://127.0.0.1:9', '--env-file', 'x'], /leave --env-file out/],
])('doctor %j is refused with 2', async (args, message) => {
  const { exitCode, stderr } = await runCommand(['doctor', ...args]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});

it('every page that doctor --live names exists, with its heading', () => {
  for (const page of Object.values(runbooks)) {
    const [path = '', heading] = page.split('#');
    const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    if (heading) expect(text.toLowerCase()).toContain(`## ${heading}\n`);
  }
});
