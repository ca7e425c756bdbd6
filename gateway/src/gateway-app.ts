import { hostname } from 'node:os';
import type {
  gatewayVariables,
  internalVariables,
  observabilityVariables,
  processVariables,
  serviceUrlVariables,
  Values,
  viewerTokenVariables,
} from '@latchkey/shared/config';
import { type App, createSetupOriginReader } from '@latchkey/shared/http';
import { describeLostService, type StartContext } from '@latchkey/shared/process';
import { addForwarding } from './add-forwarding.ts';
import { fetchServiceDocuments } from './fetch-service-documents.ts';
import { createGatewayHost, openRequestLog } from './gateway-host.ts';
import { createUpstreamOpener, openEventStreams, openServices } from './open-upstreams.ts';
import type { Upstreams } from './route-table.ts';
import { serviceDependencies } from './service-dependencies.ts';
import { addGatheredStatistics } from './statistics/add-gathered-statistics.ts';
import { repeatAlertReports } from './statistics/report-alerts.ts';

type GatewayValues = Values<
  ReturnType<typeof processVariables> &
    typeof gatewayVariables &
    Pick<typeof viewerTokenVariables, 'VIEWER_TOKEN_FROM'> &
    typeof internalVariables &
    Omit<typeof serviceUrlVariables, 'KEY_DERIVATION_SERVICE_URL'> &
    ReturnType<typeof observabilityVariables>
>;

interface KeysOptions {
  /** Where keys are derived; null if this process derives them itself. */
  keyDerivationUrls: readonly string[] | null;
  /** The name of this process as a replica that derives keys; null if it does not. */
  ownReplica: string | null;
}

/**
 * The app that faces the network if services run separately: the host, the statistics of all processes, and the forwarding of
 * everything else.
 */
export async function mountGateway(
  context: StartContext<GatewayValues>,
  { keyDerivationUrls, ownReplica }: KeysOptions,
): Promise<App> {
  const { name, values, metrics, clock, warn, tracer } = context;
  const secret = values.internalSecret.reveal();
  const onFault = (service: string, error: unknown) => {
    metrics.upstreamErrors.inc({ upstream: service });
    warn(describeLostService(service), error);
  };
  const open = createUpstreamOpener(context);
  const upstreams: Upstreams = {
    ...openServices(open, values),
    ...(keyDerivationUrls ? { 'key-derivation': open('key-derivation', keyDerivationUrls) } : {}),
  };
  context.dependencies.push(...serviceDependencies(upstreams, secret));
  const app = await createGatewayHost({
    ...context,
    requestLog: openRequestLog(context),
    serviceDocuments: () => fetchServiceDocuments(upstreams, secret, onFault),
  });
  const { statistics } = metrics;
  const { report } = context.readiness;
  const self = { service: name, address: hostname() };
  const figures = { clock, statistics, report, upstreams, self, ownReplica, secret, onFault };
  addGatheredStatistics(app, figures);
  repeatAlertReports(context, figures);
  await addForwarding(app, {
    ...{ tracer, upstreams, secret, clock, onFault },
    eventStreams: openEventStreams(open, values.authServiceUrl),
    setupOriginOf: createSetupOriginReader(values, clock),
    onShed: (upstream, reason) => metrics.shedRequests.inc({ upstream, reason }),
  });
  return app;
}
