import { ask, faultOf, secretHeaders } from '@latchkey/shared/internal';
import { checkTimeoutMs, Degraded, type Dependency, withTimeLimit } from '@latchkey/shared/lifecycle';
import type { Upstream } from '@latchkey/shared/upstream';
import { listUpstreams, type ServiceName, serviceNames, type Upstreams } from './route-table.ts';

/**
 * Limits for the first, second and third address that is called before the service counts as not ready. Together they are under
 * the 2 s of a whole check: otherwise one silent service would look like the loss of all.
 */
const answerTimeoutsMs = [900, 600, 300];
/** The report of a shared dependency waits this long for each service, then leaves it out. */
const othersTimeoutMs = 1_200;
/**
 * The dependencies of the services themselves. Only the loss of the feed stops the keys: key-derivation serves no key while it does
 * not know what has changed.
 */
const sharedDependencies: readonly SharedDependency[] = [
  { name: 'database', optional: true, saidBy: serviceNames },
  { name: 'migrations', optional: true, saidBy: serviceNames },
  { name: 'feed', optional: false, saidBy: ['key-derivation'], isOfKeys: true },
  { name: 'bus', optional: true, saidBy: serviceNames, isOfKeys: true },
  { name: 'cache', optional: true, saidBy: serviceNames, isOfKeys: true },
];

interface SharedDependency {
  readonly name: string;
  readonly optional: boolean;
  readonly saidBy: readonly ServiceName[];
  /** Whether key-derivation has it. A process that mounts that service reports its own. */
  readonly isOfKeys?: true;
}

/** The report of a service about itself. */
interface Report {
  /** Why it is not ready; null if it is ready. */
  fault: Error | null;
  dependencies: Readonly<Record<string, { status?: unknown } & Record<string, unknown>>>;
}

/**
 * The checks of `/ready`: each service has an address that is ready and knows the secret.
 *
 * Without key-derivation no key can be served, so the gateway is not ready. Without another service keys go on, and only what needs
 * that service gets 503: the gateway shows it and stays ready. The gateway shows the dependencies of the services as the services
 * report them, even services that are not ready. Each dependency is judged by itself: a silent service says nothing about it.
 */
export function serviceDependencies(upstreams: Upstreams, secret: string): Dependency[] {
  const rounds = new Map<ServiceName, Promise<Report>>();
  // One call to each service serves all checks of one report.
  const readReport = (name: ServiceName, upstream: Upstream) => {
    const report = rounds.get(name) ?? findReadyAddress(upstream, secret).finally(() => rounds.delete(name));
    rounds.set(name, report);
    return report;
  };
  const elsewhere = listUpstreams(upstreams);
  const services = elsewhere.map(({ name, upstream }) => ({
    name,
    optional: name !== 'key-derivation',
    check: async () => {
      const { fault, dependencies } = await readReport(name, upstream);
      if (fault) throw fault;
      return { addresses: upstream.size(), dependencies };
    },
  }));
  const servesKeys = upstreams['key-derivation'] === undefined;
  const shared = sharedDependencies
    .filter(({ isOfKeys }) => !(servesKeys && isOfKeys))
    .map(({ name, optional, saidBy }) => ({
      name,
      optional,
      check: async () => {
        const said = elsewhere.filter((each) => saidBy.includes(each.name));
        const reports = await Promise.all(
          said.map(async (each) => ({
            service: each.name,
            // Null if the service does not answer in time.
            report: await withTimeLimit(othersTimeoutMs, readReport(each.name, each.upstream)).catch(
              () => null,
            ),
          })),
        );
        return judge(name, reports);
      },
    }));
  // Each call has its own limit, so no check hangs. A report that did not wait would be one probe late.
  return [...services, ...shared].map((dependency) => ({ ...dependency, reportWaitMs: checkTimeoutMs }));
}

/**
 * @throws Error if all services report it down; Degraded if some do, if one reports it degraded, or if no service reports it
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
  if (!first) throw new Degraded('no service reports it', { status: 'unknown' });
  return first.facts;
}

/**
 * Calls addresses until one is ready.
 *
 * @returns the report of the ready one, else of the last one that answered
 * @throws Error if no address answered
 */
async function findReadyAddress(upstream: Upstream, secret: string): Promise<Report> {
  let fault: unknown = upstream.whyLost();
  let notReady: Report | null = null;
  for (const answerTimeoutMs of answerTimeoutsMs.slice(0, upstream.size())) {
    const address = upstream.pick();
    if (!address) break;
    try {
      const answer = await ask(address, {
        path: '/ready',
        headers: secretHeaders(secret),
        limitMs: answerTimeoutMs,
      });
      const { dependencies = {} } = JSON.parse(answer.text) as Partial<Report>;
      const report = { fault: faultOf(answer), dependencies };
      if (!report.fault) return report;
      notReady = report;
    } catch (error) {
      address.avoid(error);
      fault = error;
    }
  }
  if (notReady) return notReady;
  throw fault;
}
