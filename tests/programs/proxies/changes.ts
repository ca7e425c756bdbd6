import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProxyKind } from './configuration.ts';
import { findProgram } from './programs.ts';

type Change = (text: string, folder: string) => string;

function replaceOnce(text: string, pattern: string, replacement: string): string {
  if (text.split(pattern).length !== 2) throw new Error(`not exactly one ${pattern}`);
  return text.replace(pattern, () => replacement);
}

/** Removes the `#` from the lines that contain one of these. */
function uncomment(text: string, ...parts: string[]): string {
  for (const part of parts) if (!text.includes(part)) throw new Error(`no ${part}`);
  const isMeant = (line: string) => /^\s*#/.test(line) && parts.some((part) => line.includes(part));
  return text
    .split('\n')
    .map((line) => (isMeant(line) ? line.replace(/# ?/, '') : line))
    .join('\n');
}

function hashOf(password: string): string {
  return execFileSync(findProgram('openssl'), ['passwd', '-6', password], { encoding: 'utf8' }).trim();
}

/** Requires a password for the dashboard, with the lines that each file has for that. The user is `admin`. */
export function askForPassword(kind: ProxyKind, password: string): Change {
  const changes: Record<ProxyKind, Change> = {
    nginx: (text, folder) => {
      const file = join(folder, 'htpasswd');
      // nginx reads it as another user than root.
      chmodSync(folder, 0o711);
      writeFileSync(file, `admin:${hashOf(password)}\n`, { mode: 0o644 });
      return uncomment(text, '# auth_basic').replace('/etc/nginx/latchkey.htpasswd;\n', `${file};\n`);
    },
    Caddy: (text) => {
      const command = ['hash-password', '--plaintext', password];
      const hash = execFileSync(findProgram('caddy'), command, { encoding: 'utf8' }).trim();
      const plain = replaceOnce(text, '$2a$14$the-hash-that-caddy-hash-password-printed', hash);
      return uncomment(plain, '# basicauth {', `# \tadmin ${hash}`).replace('\t\t# }\n', '\t\t}\n');
    },
    HAProxy: (text) => {
      const hashed = replaceOnce(text, '$6$the-hash-that-openssl-printed', hashOf(password));
      return uncomment(hashed, '# userlist', '#     user admin', '# http-request auth');
    },
  };
  return changes[kind];
}

/** Opens setup for one address, as each file describes. */
export function openSetup(kind: ProxyKind, address: string): Change {
  const changes: Record<ProxyKind, Change> = {
    nginx: (text) => {
      const block = 'location ^~ /api/v1/setup {\n            ';
      const opened = `allow ${address}; deny all; proxy_pass http://latchkey;`;
      return replaceOnce(text, `${block}return 403;`, `${block}${opened}`);
    },
    Caddy: (text) =>
      replaceOnce(
        text,
        '\n\t@setup path /api/v1/setup*\n',
        `\n\t@setup {\n\t\tpath /api/v1/setup*\n\t\tnot remote_ip ${address}\n\t}\n`,
      ),
    HAProxy: (text) =>
      replaceOnce(text, 'deny_status 403 if setup\n', `deny_status 403 if setup !{ src ${address} }\n`),
  };
  return changes[kind];
}

/** Trusts the X-Forwarded-For of one load balancer, with the lines that each file has for that. */
export function trustBalancer(kind: ProxyKind, address: string): Change {
  const lines: Record<ProxyKind, string[]> = {
    nginx: ['# set_real_ip_from', '# real_ip_header', '# real_ip_recursive'],
    Caddy: ['# trusted_proxies 10'],
    HAProxy: ['# http-request set-src'],
  };
  return (text) => replaceOnce(uncomment(text, ...lines[kind]), '10.0.0.0/8', `${address}/32`);
}
