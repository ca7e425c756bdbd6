import { ask, faultOf, secretHeaders } from '@latchkey/shared/internal';
import { Degraded, type Dependency } from '@latchkey/shared/lifecycle';
import type { Upstream } from '@latchkey/shared/upstream';
import { type ServiceName, serviceNames } from './route-table.ts';

/**
 * For each address that is asked before the service counts as not ready. Together under the 2 s of a whole check: otherwise
 * one service that is silent would look like the loss of all.
 */
const answerTimeoutsMs = [900, 600, 300];
/** What is said of a shared dependency does not wait for longer: a service that is silent is left out of it. */
const othersTimeoutMs = 1_200;
/**
 * What services stand on. None of it ends the keys by itself but the feed, by which key-derivation knows what has changed: while
 * it does not know, it serves no key.
 */
const underneath: readonly { name: string; optional: boolean; saidBy: readonly ServiceName[] }[] = [
  { name: 'database', optional: true, saidBy: serviceNames },
  { name: 'migrations', optional: true, saidBy: serviceNames },
  { name: 'feed', optional: false, saidBy: ['key-derivation'] },
  { name: 'bus', optional: true, saidBy: serviceNames },
  { name: 'cache', optional: true, saidBy: serviceNames },
];

/** What a service says of itself. */
interface Report {
  /** Why it is not ready; null where it is. */
  fault: Error | null;
  dependencies: Readonly<Record<string, { status?: unknown } & Record<string, unknown>>>;
}

/**
 * What `/ready` asks of the services: of each one, that an address of it is ready and knows the secret. Without
 * key-derivation no key can be had, so the gateway is not ready. Without one of the others keys go on, and what needs it is
 * answered 503: that is shown, and is no reason to send everybody away. What the services stand on is shown by their own
 * words, of the ones that are not ready too. Each is judged by itself: a service that says nothing blames nothing else.
 */
export function serviceDependencies(
  upstreams: Readonly<Record<ServiceName, Upstream>>,
  secret: string,
): Dependency[] {
  const rounds = new Map<ServiceName, Promise<Report>>();
  // One question serves all the checks of one report.
  const readReport = (name: ServiceName) => {
    const report =
      rounds.get(name) ?? findReadyAddress(upstreams[name], secret).finally(() => rounds.delete(name));
    rounds.set(name, report);
    return report;
  };
  const services = serviceNames.map((name) => ({
    name,
    optional: name !== 'key-derivation',
    check: async () => {
      const { fault, dependencies } = await readReport(name);
      if (fault) throw fault;
      return { addresses: upstreams[name].size(), dependencies };
    },
  }));
  const shared = underneath.map(({ name, optional, saidBy }) => ({
    name,
    optional,
    check: async () => {
      const reports = await Promise.all(
        saidBy.map(async (service) => ({ service, report: await inTime(readReport(service)) })),
      );
      return judge(name, reports);
    },
  }));
  return [...services, ...shared];
}

/** @returns null where nothing is said in time */
async function inTime(report: Promise<Report>): Promise<Report | null> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), othersTimeoutMs);
  });
  try {
    return await Promise.race([report.catch(() => null), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @throws Error where all say that it is down; Degraded where some do, where it is degraded for one, or where nobody says
 *   anything
 */
function judge(
  name: string,
  reports: readonly { service: ServiceName; report: Report | null }[],
): Record<string, unknown> {
  const said = reports.flatMap(({ service, report }) => {
    const { status, ...facts } = report?.dependencies[name] ?? {};
    return status === undefined ? [] : [{ service, status, facts }];
  });
  const down = said.filter(({ status }) => status === 'down').map(({ service }) => service);
  if (said.length > 0 && down.length === said.length) throw new Error(`down for ${down.join(', ')}`);
  if (down.length > 0) throw new Degraded(`down for ${down.join(', ')}`, { downFor: down });
  const [worst] = said.filter(({ status }) => status !== 'up');
  if (worst) throw new Degraded(`degraded, ${worst.service} says`, worst.facts);
  const [first] = said;
  if (!first) throw new Degraded('no service says anything of it', { status: 'unknown' });
  return first.facts;
}

/**
 * Asks addresses until one is ready.
 *
 * @returns what the ready one says, else what the last one says that answered
 * @throws Error where none answered
 */
async function findReadyAddress(upstream: Upstream, secret: string): Promise<Report> {
  let fault: unknown = new Error('no address is known');
  let notReady: Report | null = null;
  for (const answerTimeoutMs of answerTimeoutsMs.slice(0, upstream.size())) {
    const member = upstream.pick();
    if (!member) break;
    try {
      const answer = await ask(member, {
        path: '/ready',
        headers: secretHeaders(secret),
        limitMs: answerTimeoutMs,
      });
      const { dependencies = {} } = JSON.parse(answer.text) as Partial<Report>;
      const report = { fault: faultOf(answer), dependencies };
      if (!report.fault) return report;
      notReady = report;
    } catch (error) {
      member.penalize();
      fault = error;
    }
  }
  if (notReady) return notReady;
  throw fault;
}
