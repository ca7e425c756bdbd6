import type { Clock } from '@latchkey/shared/clock';
import type { DatabaseSize } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import {
  ask,
  processReportPath,
  readJson,
  readLogHeaders,
  refusalOf,
  secretHeaders,
} from '@latchkey/shared/internal';
import type { ReadyReport } from '@latchkey/shared/lifecycle';
import {
  type ConfigurationWarning,
  type ProcessStatistics,
  parseProcessReport,
  stepsKept,
} from '@latchkey/shared/statistics';
import { type Address, Tries } from '@latchkey/shared/upstream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestHeaders, responseHeaders } from '../forwarded-headers.ts';
import { listUpstreams, type ServiceName, type Upstreams } from '../route-table.ts';
import { beginningOf, composeStatistics, type Shown } from './compose-statistics.ts';
import type { ReportingProcess } from './process-figures.ts';
import { type Statistics, statisticsPath, statisticsRoute } from './statistics-schema.ts';

/** Shorter than for other forwarded requests, because a page waits for it. */
const answerTimeoutMs = 2_000;
/** A report takes milliseconds. The dashboard does not wait longer for a process that is stuck. */
const reportTimeoutMs = 500;

/** The auth service's facts about the database. The size is missing if the request did not ask for it. */
interface StoredFacts {
  warnings: ConfigurationWarning[];
  database?: DatabaseSize;
}

export interface GatheredStatistics {
  clock: Clock;
  /** Of the gateway itself. */
  statistics: ProcessStatistics;
  report: () => Promise<ReadyReport>;
  upstreams: Upstreams;
  /** The kind of this process, and its name among others of its kind. */
  self: { service: string; address: string };
  secret: string;
  onFault: (service: ServiceName, error: unknown) => void;
}

/**
 * `GET /api/v1/statistics` for separate services. The gateway checks no credential: it sends the request to the auth service with
 * the caller's own credential. It forwards any answer but a 200. After a 200 it gathers the figures.
 */
export function addGatheredStatistics(app: App, options: GatheredStatistics): void {
  app.get(
    statisticsPath,
    {
      ...statisticsRoute,
      // The auth service validates, so that a refusal is audited there like any other.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const stored = await callAuth(request as FastifyRequest, reply, options);
      // The client has got the answer of auth.
      if (!stored) return reply;
      const { steps = stepsKept, refusals = 0 } = request.query;
      // Not validated here, so it is still a text.
      const settings = String(request.query.settings) === 'true';
      const shown = { steps: Number(steps), refusals: Number(refusals), settings };
      return { statistics: await gatherStatistics(options, stored, shown) };
    },
  );
}

/** The figures of every process that answers. */
export async function gatherStatistics(
  options: GatheredStatistics,
  stored: StoredFacts,
  shown: Required<Shown>,
): Promise<Statistics> {
  const { clock, statistics, upstreams, self } = options;
  const { refusals, settings } = shown;
  const now = clock.now();
  const since = beginningOf(now);
  const [ready, { reports, missing }] = await Promise.all([
    options.report(),
    gatherReports(options, processReportPath(since, refusals, settings)),
  ]);
  const gateway = statistics.report(since, refusals, settings);
  const of = (name: ServiceName) => reports.filter(({ service }) => service === name);
  const gathered = {
    gateway,
    // An edge derives keys itself.
    replicas: upstreams['key-derivation']
      ? of('key-derivation').map(({ address, report }) => ({ name: address, report }))
      : [{ name: self.address, report: gateway }],
    leases: of('leases').map(({ report }) => report),
    processes: [{ ...self, report: gateway }, ...reports],
    warnings: [gateway, ...reports.map(({ report }) => report)]
      .flatMap(({ warnings }) => warnings)
      .concat(stored.warnings),
    ready,
    missing,
    database: stored.database ?? null,
  };
  return composeStatistics(gathered, shown, now);
}

/** @returns what the auth service knows of the database; null if it refuses: then the client has its answer */
async function callAuth(
  request: FastifyRequest,
  reply: FastifyReply,
  { upstreams, secret, onFault }: GatheredStatistics,
): Promise<StoredFacts | null> {
  const tries = new Tries(upstreams.auth, true);
  for (;;) {
    try {
      if (!tries.address) throw upstreams.auth.whyLost();
      return await callAuthAt(request, reply, tries.address, secret);
    } catch (cause) {
      if (tries.next(cause)) continue;
      onFault('auth', cause);
      throw new AppError('DEPENDENCY_UNAVAILABLE', { cause });
    }
  }
}

async function callAuthAt(
  request: FastifyRequest,
  reply: FastifyReply,
  address: Address,
  secret: string,
): Promise<StoredFacts | null> {
  const answer = await ask(address, {
    path: request.raw.url ?? statisticsPath,
    headers: requestHeaders(request, secret),
    limitMs: answerTimeoutMs,
  });
  const refusal = refusalOf(answer);
  if (refusal) throw refusal;
  const { principal, code } = readLogHeaders(answer.headers);
  request.principal = principal as FastifyRequest['principal'];
  if (answer.status === 200) return readJson(answer) as StoredFacts;
  request.errorCode = code;
  reply
    .code(answer.status)
    .headers(responseHeaders(answer.headers, {}))
    // The text is JSON already: serializing it again would quote it.
    .serializer((payload: string) => payload)
    .send(answer.text);
  return null;
}

/** The reports of every process of every service that answers in time. */
async function gatherReports(
  { upstreams, secret, clock }: GatheredStatistics,
  path: string,
): Promise<{ reports: ReportingProcess[]; missing: Statistics['missing'] }> {
  const reports: ReportingProcess[] = [];
  const missing: Statistics['missing'] = [];
  const question = {
    path,
    headers: secretHeaders(secret),
    limitMs: reportTimeoutMs,
  };
  const gather = async (service: ServiceName, called: Address) => {
    const address = new URL(called.origin).host;
    try {
      const sentAt = clock.now();
      const answer = await ask(called, question);
      const asked = { sentAt, receivedAt: clock.now() };
      reports.push({ service, address, report: parseProcessReport(readJson(answer)), asked });
    } catch {
      // Readiness reports a service that does not answer. Here it is only left out.
      missing.push({ service, address });
    }
  };
  await Promise.all(
    listUpstreams(upstreams).flatMap(({ name: service, upstream }) => {
      const addresses = upstream.all();
      if (addresses.length === 0) missing.push({ service, address: 'no address is known' });
      return addresses.map((address) => gather(service, address));
    }),
  );
  const byName = (a: { service: string; address: string }, b: { service: string; address: string }) =>
    `${a.service} ${a.address}`.localeCompare(`${b.service} ${b.address}`);
  return { reports: reports.sort(byName), missing: missing.sort(byName) };
}
