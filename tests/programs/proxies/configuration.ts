import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@latchkey/support/repository';
import type { Certificate } from './certificate.ts';

/** The proxies that the tests run. */
export const proxyKinds = ['nginx', 'Caddy', 'HAProxy'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

export const fileNames: Record<ProxyKind, string> = {
  nginx: 'nginx.conf',
  Caddy: 'Caddyfile',
  HAProxy: 'haproxy.cfg',
};

/** The ports, addresses and paths of a test. */
export interface Places {
  httpPort: number;
  httpsPort: number;
  /** For Caddy's administration. */
  adminPort: number;
  /** Host and port of Latchkey. */
  upstream: string;
  folder: string;
  certificate: Certificate;
}

/** The text of a file of `docs/operate/deploy`. */
export function readDeployFile(name: string): string {
  return readFileSync(join(repositoryFolder, 'docs/operate/deploy', name), 'utf8');
}

/**
 * The documented configuration with other ports, addresses and paths, and no other change. Each replacement must match, so
 * that a change of the file cannot make one of them ineffective unnoticed.
 */
export function configurationOf(kind: ProxyKind, places: Places): string {
  const replacements: Record<ProxyKind, (places: Places) => [RegExp, string][]> = {
    nginx: nginxReplacements,
    Caddy: caddyReplacements,
    HAProxy: haproxyReplacements,
  };
  let text = readDeployFile(fileNames[kind]);
  for (const [pattern, replacement] of replacements[kind](places)) {
    if (!pattern.test(text)) throw new Error(`${fileNames[kind]} has no ${pattern}`);
    text = text.replace(pattern, replacement);
  }
  return text;
}

function nginxReplacements(places: Places): [RegExp, string][] {
  const { certificateFile, keyFile } = places.certificate;
  return [
    [/listen 80;/, `listen 127.0.0.1:${places.httpPort};`],
    [/listen 443 /, `listen 127.0.0.1:${places.httpsPort} `],
    [/^ *listen \[::\].*\n/gm, ''],
    [/server 127\.0\.0\.1:4100;/, `server ${places.upstream};`],
    [/\/run\/nginx\.pid/, join(places.folder, 'nginx.pid')],
    [/\/var\/log\/nginx\//g, `${places.folder}/`],
    [/\/etc\/nginx\/tls\/\S+\.crt/, certificateFile],
    [/\/etc\/nginx\/tls\/\S+\.key/, keyFile],
  ];
}

function caddyReplacements(places: Places): [RegExp, string][] {
  const { certificateFile, keyFile } = places.certificate;
  return [
    [/admin localhost:2019/, `admin 127.0.0.1:${places.adminPort}`],
    [/http_port 80\n/, `http_port ${places.httpPort}\n\tdefault_bind 127.0.0.1\n`],
    [/https_port 443\n/, `https_port ${places.httpsPort}\n`],
    [/reverse_proxy 127\.0\.0\.1:4100/, `reverse_proxy ${places.upstream}`],
    [/\/etc\/caddy\/tls\/\S+\.crt/, certificateFile],
    [/\/etc\/caddy\/tls\/\S+\.key/, keyFile],
  ];
}

function haproxyReplacements(places: Places): [RegExp, string][] {
  return [
    [/bind :80\n/, `bind 127.0.0.1:${places.httpPort}\n`],
    [/bind :443 /, `bind 127.0.0.1:${places.httpsPort} `],
    [/server latchkey 127\.0\.0\.1:4100/g, `server latchkey ${places.upstream}`],
    [/\/etc\/haproxy\/tls\/\S+\.pem/, places.certificate.bundleFile],
  ];
}
