import { hostname } from 'node:os';
import {
  defaultPorts,
  gatewayVariables,
  internalVariables,
  observabilityVariables,
  processVariables,
  serviceUrlVariables,
  type Values,
  viewerTokenVariables,
} from '@latchkey/shared/config';
import { alertsEveryMs } from '@latchkey/shared/contracts';
import { type App, createSetupOriginReader, type OpenApiDocument } from '@latchkey/shared/http';
import { createInternalClient } from '@latchkey/shared/internal';
import { describeLostService, type StartContext } from '@latchkey/shared/process';
import { describeServiceTls } from '@latchkey/shared/tls';
import { createUpstream, systemLookup, type Upstream } from '@latchkey/shared/upstream';
import { addForwarding } from './add-forwarding.ts';
import { createGatewayHost, openRequestLog } from './gateway-host.ts';
import { listUpstreams, type Upstreams } from './route-table.ts';
import { serviceDependencies } from './service-dependencies.ts';
import {
  addGatheredStatistics,
  type GatheredStatistics,
  gatherStatistics,
} from './statistics/add-gathered-statistics.ts';

export const gatewaySettings = {
  ...processVariables(defaultPorts.gateway),
  ...gatewayVariables,
  // With `cookie`, pages of listed origins may send cookies.
  VIEWER_TOKEN_FROM: viewerTokenVariables.VIEWER_TOKEN_FROM,
  ...internalVariables,
  ...serviceUrlVariables,
  ...observabilityVariables('0.0.0.0'),
};

type GatewayValues = Omit<Values<typeof gatewaySettings>, 'keyDerivationServiceUrl'>;

/** Connections to each address of a service: enough for a burst of key requests, few enough for the limit of open files. */
const defaultConnections = 128;
/** To each address of auth, for event streams. Auth opens 512 and refuses the next one, so that refusal must reach it. */
const streamConnections = 640;
/** A service makes its document for the first reader, on a thread that loads the generator. Nothing but tools wait for it. */
const documentLimitMs = 10_000;
/** A report under way at the end of the process is not worth a wait: another gateway, or the next start, reports the same. */
const alertsEndMs = 500;

/**
 * The app that faces the network if services run separately: the host, the statistics of all processes, and the forwarding of
 * everything else.
 *
 * @param keyDerivationUrls where keys are derived; null if this process derives them itself
 */
export async function mountGateway(
  context: StartContext<GatewayValues>,
  keyDerivationUrls: readonly string[] | null,
): Promise<App> {
  const { name, values, metrics, clock, warn, tracer } = context;
  const secret = values.internalSecret.reveal();
  const onFault = (service: string, error: unknown) => {
    metrics.upstreamErrors.inc({ upstream: service });
    warn(describeLostService(service), error);
  };
  const upstreams: Upstreams = {
    auth: openUpstream(context, 'auth', values.authServiceUrl),
    content: openUpstream(context, 'content', values.contentServiceUrl),
    leases: openUpstream(context, 'leases', values.leasesServiceUrl),
    playback: openUpstream(context, 'playback', values.playbackServiceUrl),
    ...(keyDerivationUrls && {
      'key-derivation': openUpstream(context, 'key-derivation', keyDerivationUrls),
    }),
  };
  context.dependencies.push(...serviceDependencies(upstreams, secret));
  const app = await createGatewayHost({
    ...context,
    requestLog: openRequestLog(context),
    // Half a document would be wrong, so one service that does not answer makes it 503.
    serviceDocuments: () =>
      Promise.all(
        listUpstreams(upstreams).map((to) =>
          createInternalClient({ ...to, secret, onFault, answerTimeoutMs: documentLimitMs }).get(
            '/openapi.json',
            (document) => document as OpenApiDocument,
          ),
        ),
      ),
  });
  const { statistics } = metrics;
  const { report } = context.readiness;
  const self = { service: name, address: hostname() };
  const figures = { clock, statistics, report, upstreams, self, secret, onFault };
  addGatheredStatistics(app, figures);
  repeatAlertReports(context, figures);
  await addForwarding(app, {
    ...{ tracer, upstreams, secret, clock, onFault },
    eventStreams: openUpstream(context, 'auth', values.authServiceUrl, streamConnections),
    setupOriginOf: createSetupOriginReader(values, clock),
    onShed: (upstream, reason) => metrics.shedRequests.inc({ upstream, reason }),
  });
  return app;
}

/** Opens the addresses of a service. They close with the process. */
function openUpstream(
  { warn, shutdown, internalTls }: StartContext<GatewayValues>,
  name: string,
  urls: readonly string[],
  connections = defaultConnections,
): Upstream {
  const upstream = createUpstream({
    urls,
    lookup: systemLookup,
    connections,
    tls: describeServiceTls(name, internalTls),
    onFault: (error) =>
      warn(
        `the host name of ${name} cannot be resolved: addresses known before stay in use. Check the URL and DNS`,
        error,
      ),
  });
  shutdown.add(`connections to ${name}`, 1_000, () => upstream.close());
  return upstream;
}

/**
 * Tells the auth service every 30 s which problems the Overview shows. Several gateways may do so. The auth service adds what it knows of
 * stored rows.
 */
function repeatAlertReports(
  { jobs, shutdown }: StartContext<GatewayValues>,
  options: GatheredStatistics,
): void {
  const { upstreams, secret } = options;
  // The job says so itself.
  const auth = createInternalClient({ name: 'auth', upstream: upstreams.auth, secret, onFault: () => {} });
  jobs.repeat({
    everyMs: alertsEveryMs,
    async run() {
      const shown = { steps: 1, refusals: 0, settings: false };
      const { concerns: alerts } = await gatherStatistics(options, { warnings: [] }, shown);
      await auth.post('/internal/alerts', { alerts }, () => null);
    },
    failed: 'alerts could not be reported to the auth service: webhooks get them once it answers',
  });
  shutdown.add('the report of alerts', alertsEndMs, () => jobs.stop());
}
