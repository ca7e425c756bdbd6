import { integer, oneOf, text } from '../parsers.ts';
import type { Rule } from '../read-config.ts';
import { variable } from '../variable.ts';
import { traceVariables } from './traces.ts';

/**
 * What the process reports about itself.
 *
 * @param metricsHost the default. A single node uses loopback: only the machine should read its metrics. A container uses
 *   every address: its network decides who can connect
 */
export function observabilityVariables(metricsHost: '127.0.0.1' | '0.0.0.0') {
  return {
    ...traceVariables,
    logLevel: variable({
      name: 'LOG_LEVEL',
      type: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      fallback: 'info',
      about: 'The least level that is logged.',
    }),
    metricsHost: variable({
      name: 'METRICS_HOST',
      type: text,
      fallback: metricsHost,
      about: 'The address that the metrics are served on.',
    }),
    metricsPort: variable({
      name: 'METRICS_PORT',
      type: integer(0, 65_535),
      // The port of OpenTelemetry's Prometheus exporter.
      fallback: 9464,
      about: 'The port that the metrics are served on, as Prometheus text; 0 takes a free one.',
    }),
  };
}

/** Addresses that mean every address of the machine. */
const everyAddress = ['0.0.0.0', '::'];

/** The metrics have their own listener, which cannot share the port of the requests. */
export const listenRule: Rule<{ host?: string; port?: number; metricsHost?: string; metricsPort?: number }> =
  {
    uses: ['host', 'port', 'metricsHost', 'metricsPort'],
    check({ host = '', port, metricsHost = '', metricsPort }) {
      if (port !== metricsPort || port === 0 || port === undefined) return [];
      const hosts = [host, metricsHost];
      if (host !== metricsHost && !hosts.some((one) => everyAddress.includes(one))) return [];
      const message = `METRICS_PORT and PORT are both ${port}. Accepted: two different ports, or 0 for a free one.`;
      return [{ variable: 'METRICS_PORT', message }];
    },
  };
