import { z } from 'zod';
import { samplerNames } from '../../traces/index.ts';
import { integer, oneOf, secret, text } from '../forms.ts';
import type { Report, Values } from '../settings.ts';
import { url } from '../url-forms.ts';

/** The ports of `docs/reference/contract.md#transport`. */
export const defaultPorts = {
  gateway: 4100,
  keyDerivation: 4101,
  leases: 4102,
  auth: 4103,
  content: 4104,
  playback: 4105,
} as const;

/** Another spelling would leave open what production closes, such as setup from this machine. */
const environmentName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, 'is not a word in lower case')
  .meta({ forms: '`production`, `development` or another word in lower case' });

const delayMs = integer(1, 10_000);

/** Settings of every process. `port` is its default, one of `defaultPorts`. */
export const processVariables = (port: number) => ({
  PORT: integer(0, 65_535)
    .default(port)
    .describe('The port that this process listens on; 0 takes a free one.'),
  HOST: text.default('0.0.0.0').describe('The address that this process listens on.'),
  NODE_ENV: environmentName
    .optional()
    .describe(
      '`production` refuses what is only fit for development, and lets nobody claim the server without the bootstrap key.',
    ),
  SHUTDOWN_DRAIN_SECONDS: integer(0, 300)
    // Long enough for a load balancer that probes every second or two to stop sending requests.
    .default(5)
    .describe('How long a process goes on answering after SIGTERM, not ready, before it closes.'),
  OVERLOAD_DELAY_MS: z
    .union([z.literal('off'), delayMs])
    .meta({ forms: `${delayMs.meta()?.forms}, or \`off\`` })
    // A refused viewer must come back, and requests that wait a little are all served. So an operator chooses it.
    .default('off')
    .describe(
      'How late the event loop of the process may be, on average over a second. While it is later, because more requests come than it can serve, requests of viewers for keys, playlists and new leases get 503. `off` lets all of them wait.',
    ),
});

/** `name=value` pairs, separated by commas, with percent-encoded values (W3C Baggage), as OpenTelemetry writes them. */
const pairs = z
  .string()
  .transform((given, context) => {
    const read: Record<string, string> = {};
    for (const pair of given.split(',').filter((each) => each.trim() !== '')) {
      const [, name = '', value = ''] = /^\s*([A-Za-z0-9._-]+)\s*=(.*)$/.exec(pair) ?? [];
      try {
        read[name] = decodeURIComponent(value.trim());
      } catch {
        context.addIssue('has a value that cannot be decoded');
      }
      // Anything else could not be a header.
      if (name === '' || !/^[\x20-\x7e]*$/.test(read[name] ?? '')) context.addIssue('is not a list of pairs');
    }
    return read;
  })
  .meta({ forms: '`name=value` pairs, separated by commas, with percent-encoded values' });

const ratio = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?|\.\d+)$/, 'is not in that range')
  .transform(Number)
  .meta({ forms: 'a number from 0 to 1' });

/** Traces over OTLP. The names and defaults come from the OpenTelemetry specification. */
export const traceVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https')
    .optional()
    .describe(
      'Where traces are sent, as OTLP in JSON over HTTP; `/v1/traces` is added. Unset: none are recorded.',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(pairs)
    .optional()
    .describe('Headers of those requests, such as a credential for the collector.'),
  OTEL_TRACES_SAMPLER: oneOf(...samplerNames)
    .default('parentbased_always_on')
    .describe('Which requests are traced.'),
  OTEL_TRACES_SAMPLER_ARG: ratio
    .default(1)
    .describe('The part of the requests that the samplers by `traceidratio` choose.'),
  OTEL_SERVICE_NAME: text
    .optional()
    .describe(
      '`service.name` of the traces. Unset: `latchkey-` and the name of the process, such as `latchkey-gateway`.',
    ),
  OTEL_RESOURCE_ATTRIBUTES: pairs.default({}).describe('What else describes the process in traces.'),
};

/**
 * The settings of traces, logs and metrics.
 *
 * @param metricsHost the default. A single node uses loopback: only the machine should read its metrics. A container uses every address: its
 *   network decides who can connect
 */
export const observabilityVariables = (metricsHost: '127.0.0.1' | '0.0.0.0') => ({
  ...traceVariables,
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
    .default('info')
    .describe('The least level that is logged.'),
  METRICS_HOST: text.default(metricsHost).describe('The address that the metrics are served on.'),
  METRICS_PORT: integer(0, 65_535)
    // The port of OpenTelemetry's Prometheus exporter.
    .default(9464)
    .describe('The port that the metrics are served on, as Prometheus text; 0 takes a free one.'),
});

/** Addresses that mean every address of the machine. */
const everyAddress = ['0.0.0.0', '::'];

type ListenValues = Partial<
  Values<ReturnType<typeof processVariables> & ReturnType<typeof observabilityVariables>>
>;

/** The metrics have their own listener, which cannot share the port of the requests. */
export function checkPorts({ host, port, metricsHost, metricsPort }: ListenValues, { refuse }: Report): void {
  if (!port || !host || !metricsHost || port !== metricsPort) return;
  if (host === metricsHost || everyAddress.includes(host) || everyAddress.includes(metricsHost))
    refuse('METRICS_PORT', `and PORT are both ${port}. Accepted: two different ports, or 0 for a free one`);
}
