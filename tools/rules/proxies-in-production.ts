// Behind a proxy on the same machine every client looks like a call from the machine itself, which may claim a server that is not
// in production (`docs/reference/contract.md#setup`).

/** Documents, and the configuration files of proxies. In the components of k8s, the base below them sets it. */
const isDocument = (file: string) => /\.md$|^docs\/operate\/deploy\//.test(file) && file !== 'CHANGELOG.md';
const aboutProxies =
  /proxy_pass|reverse_proxy|\bserver latchkey\b|loadBalancer:|TRUST_PROXY=\w|reverse prox/i;

const settings: Readonly<Record<string, RegExp>> = {
  'compose.yaml': /^x-process: &process\n {2}NODE_ENV: production$/m,
  'k8s/base/settings/process.env': /^NODE_ENV=production$/m,
  'ops/systemd/latchkey.service': /^Environment=NODE_ENV=production$/m,
};

/** Finds a document about a proxy, or a deployment, that leaves out NODE_ENV=production. */
export function findClaimable(file: string, text: string): string[] {
  const isAbout = isDocument(file) && aboutProxies.test(text);
  if ((settings[file] ?? /NODE_ENV=production/).test(text) || !(isAbout || settings[file])) return [];
  return [`${file} puts a server behind a proxy without NODE_ENV=production`];
}
