import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSourceFiles } from '@latchkey/rig/source-files';
import { expect, it } from 'vitest';

// Behind a proxy on the same machine every client looks like a call from the machine itself, which may claim a server that is not
// in production (`docs/contract.md#setup`).

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Documents, and the configuration files of proxies. In the components of k8s, the base below them sets it. */
const isDocument = (file: string) => /\.md$|^docs\/deploy\//.test(file) && file !== 'CHANGELOG.md';
const aboutProxies =
  /proxy_pass|reverse_proxy|\bserver latchkey\b|loadBalancer:|TRUST_PROXY=\w|reverse prox/i;

it('every document about a proxy in front of the server says NODE_ENV=production', () => {
  const about = listSourceFiles(root).filter((file) => isDocument(file) && aboutProxies.test(read(file)));
  expect(about).toEqual(
    expect.arrayContaining(['docs/deploy/README.md', 'docs/deploy/nginx.conf', 'README.md']),
  );
  expect(about.filter((file) => !/NODE_ENV=production/.test(read(file)))).toEqual([]);
});

it.each([
  ['compose.yaml', /^x-process: &process\n {2}NODE_ENV: production$/m],
  ['k8s/base/settings/process.env', /^NODE_ENV=production$/m],
  ['ops/systemd/latchkey.service', /^Environment=NODE_ENV=production$/m],
])('%s sets NODE_ENV=production', (file, setting) => {
  expect(read(file)).toMatch(setting);
});
