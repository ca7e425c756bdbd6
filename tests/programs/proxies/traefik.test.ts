import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fileNames, readDeployFile } from './configuration.ts';

// Traefik does not run here. The tests check that its files are well formed and agree with the files of the other proxies.
const start = parse(readDeployFile('traefik/traefik.yaml'));
const dynamic = parse(readDeployFile('traefik/dynamic/latchkey.yaml'));
const { routers, middlewares, services, serversTransports } = dynamic.http;
const [nginx, haproxy] = [readDeployFile(fileNames.nginx), readDeployFile(fileNames.HAProxy)];

interface Router {
  rule: string;
  priority: number;
  middlewares?: string[];
  observability?: { accessLogs?: boolean };
}

/** The router with the highest priority whose rule matches. It reads only the part of the rule language that these files use. */
function routerOf(method: string, path: string): Router {
  const isMet = (term: string): boolean => {
    if (term.startsWith('!')) return !isMet(term.slice(1));
    const [, name, value = ''] = /^(\w+)\(`([^`]+)`\)$/.exec(term) ?? [];
    if (name === 'Host') return value === 'latchkey.example.com';
    if (name === 'Path') return path === value;
    if (name === 'PathPrefix') return path.startsWith(value);
    if (name === 'PathRegexp') return new RegExp(value).test(path);
    if (name === 'Method') return method === value;
    throw new Error(`unknown term ${term}`);
  };
  const [first] = (Object.values(routers) as Router[])
    .sort((a, b) => b.priority - a.priority)
    .filter(({ rule }) => rule.split(' && ').every(isMet));
  if (!first) throw new Error(`no router for ${path}`);
  return first;
}

/** The rate limits that apply to a request, in requests a minute. */
const ratesOf = (method: string, path: string) =>
  (routerOf(method, path).middlewares ?? [])
    .map((name) => middlewares[name].rateLimit)
    .filter(Boolean)
    .map(({ average }) => average);

describe("Traefik's files", () => {
  it("Traefik's files name only entry points, middlewares, services and transports that exist", () => {
    expect(start.providers.file.directory).toBe('/etc/traefik/dynamic');
    for (const router of Object.values(routers) as (Router & { entryPoints: string[]; service: string })[]) {
      for (const name of router.entryPoints) expect(start.entryPoints).toHaveProperty(name);
      for (const name of router.middlewares ?? []) expect(middlewares).toHaveProperty(name);
      expect(services).toHaveProperty(router.service);
    }
    expect(serversTransports).toHaveProperty(services.latchkey.loadBalancer.serversTransport);
    const priorities = (Object.values(routers) as Router[]).map(({ priority }) => priority);
    expect(new Set(priorities).size).toBe(priorities.length);
  });

  it('Traefik forwards to the address that the files of the other proxies name', () => {
    expect(services.latchkey.loadBalancer.servers).toEqual([{ url: 'http://127.0.0.1:4100' }]);
    for (const text of [nginx, haproxy, readDeployFile(fileNames.Caddy)])
      expect(text).toContain('127.0.0.1:4100');
  });

  it.each([
    ['GET', '/keys/x', [60], 'keys'],
    ['GET', '/keys/x/7', [60], 'keys'],
    ['POST', '/keys/leases/revoke', [60], 'keys'],
    ['POST', '/keys/leases', [60, 10], 'leases'],
    ['POST', '/keys/leases/renew', [60, 10], 'leases'],
    ['POST', '/presign', [10], 'presign'],
    ['GET', '/api/v1/content', [30], 'api'],
    ['GET', '/api/v1/events', [30], 'api'],
  ] as const)(
    'with Traefik, %s %s has the rates of the contract: %j a minute',
    (method, path, rates, zone) => {
      expect(ratesOf(method, path)).toEqual(rates);
      expect(ratesOf('OPTIONS', path)).toEqual([]);
      const rate = rates.at(-1);
      expect(nginx).toMatch(new RegExp(`zone=${zone}:\\w+ +rate=${rate}r/m;`));
      expect(haproxy).toMatch(new RegExp(`${zone}.* \\{ sc_gpc0_rate\\(\\d\\) ge ${rate} \\}`));
    },
  );

  it.each(['/admin', '/health', '/ready', '/openapi.json'])('Traefik does not count %s', (path) => {
    expect(ratesOf('GET', path)).toEqual([]);
  });

  it('Traefik counts by the minute, keys with a burst of 20, and users by their credential', () => {
    for (const name of ['keys', 'api', 'presign', 'leases'])
      expect(middlewares[`rate-${name}`].rateLimit.period).toBe('1m');
    expect(middlewares['rate-keys'].rateLimit.burst).toBe(20);
    expect(nginx).toContain('zone=keys burst=20 ');
    for (const name of ['presign', 'leases'])
      expect(middlewares[`rate-${name}`].rateLimit.sourceCriterion).toEqual({
        requestHeaderName: 'Authorization',
      });
  });

  it.each(['GET', 'POST', 'OPTIONS'])(
    'Traefik lets %s of setup pass from no address, not even from this machine',
    (method) => {
      for (const path of ['/api/v1/setup', '/api/v1/setup/']) {
        expect(routerOf(method, path).middlewares).toContain('setup-closed');
      }
      expect(middlewares['setup-closed'].ipAllowList.sourceRange).toEqual(['192.0.2.1/32']);
    },
  );

  it('Traefik logs neither /health nor anything that may contain a credential', () => {
    expect(routerOf('GET', '/health').observability?.accessLogs).toBe(false);
    const { names, headers } = start.accessLog.fields;
    expect(names).toEqual({ RequestPath: 'drop', RequestLine: 'drop' });
    expect(headers.defaultMode).toBe('drop');
  });

  it("Traefik does not trust a client's X-Forwarded-For", () => {
    for (const entryPoint of Object.values(start.entryPoints))
      expect(entryPoint).not.toHaveProperty('forwardedHeaders');
  });

  it('no configuration of a proxy adds a CORS header', () => {
    for (const { headers } of Object.values(middlewares) as { headers?: object }[])
      expect(Object.keys(headers ?? {}).filter((name) => /access|customResponse/i.test(name))).toEqual([]);
    for (const text of [nginx, haproxy, readDeployFile(fileNames.Caddy)])
      expect(text).not.toMatch(/access-control/i);
  });

  it('Traefik closes idle connections before Latchkey does, and never ends an event stream', () => {
    expect(serversTransports.latchkey.forwardingTimeouts.idleConnTimeout).toBe('60s');
    expect(start.entryPoints.websecure.transport.respondingTimeouts.writeTimeout).toBe('0s');
  });
});
