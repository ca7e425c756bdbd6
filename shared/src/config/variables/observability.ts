import { integer, oneOf, text } from '../parsers.ts';
import { variable } from '../variable.ts';

/**
 * What the process tells about itself.
 *
 * @param metricsHost the default: loopback for a single node, whose metrics nobody but the machine should read; every
 *   address in a container, whose network decides who reaches it
 */
export function observabilityVariables(metricsHost: '127.0.0.1' | '0.0.0.0') {
  return {
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
