import { type SamplerName, samplerNames } from '../../traces/index.ts';
import { oneOf, type Parser, secret, text } from '../parsers.ts';
import { url } from '../url-parsers.ts';
import { variable } from '../variable.ts';

/** `name=value` pairs, separated by commas, with percent-encoded values (W3C Baggage), as OpenTelemetry writes them. */
const pairs: Parser<Readonly<Record<string, string>>> = {
  forms: '`name=value` pairs, separated by commas, with percent-encoded values',
  parse(given) {
    const read: Record<string, string> = {};
    for (const pair of given.split(',').filter((each) => each.trim() !== '')) {
      const [, name = '', value = ''] = /^\s*([A-Za-z0-9._-]+)\s*=(.*)$/.exec(pair) ?? [];
      try {
        read[name] = decodeURIComponent(value.trim());
      } catch {
        return { wrong: 'has a value that cannot be decoded' };
      }
      // Anything else could not be a header.
      if (name === '' || !/^[\x20-\x7e]*$/.test(read[name] ?? '')) return { wrong: 'is not a list of pairs' };
    }
    return { value: read };
  },
};

const ratio: Parser<number> = {
  forms: 'a number from 0 to 1',
  parse: (given) =>
    /^(0(\.\d+)?|1(\.0+)?|\.\d+)$/.test(given) ? { value: Number(given) } : { wrong: 'is not in that range' },
};

const sampler: SamplerName = 'parentbased_always_on';

/** Traces over OTLP. The names and defaults are those of the OpenTelemetry specification. */
export const traceVariables = {
  otlpEndpoint: variable({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: url('http', 'https'),
    about:
      'Where traces are sent, as OTLP in JSON over HTTP; `/v1/traces` is added. Unset: none are recorded.',
  }),
  otlpHeaders: variable({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    type: secret(pairs),
    about: 'Headers of those requests, such as a credential for the collector.',
  }),
  tracesSampler: variable({
    name: 'OTEL_TRACES_SAMPLER',
    type: oneOf(...samplerNames),
    fallback: sampler,
    about: 'Which requests are traced.',
  }),
  tracesSamplerArg: variable({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    type: ratio,
    fallback: 1,
    about: 'The part of the requests that the samplers by `traceidratio` choose.',
  }),
  otelServiceName: variable({
    name: 'OTEL_SERVICE_NAME',
    type: text,
    about:
      '`service.name` of the traces. Unset: `latchkey-` and the name of the process, such as `latchkey-gateway`.',
  }),
  otelResourceAttributes: variable({
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    type: pairs,
    fallback: {},
    about: 'What else describes the process in traces.',
  }),
};
