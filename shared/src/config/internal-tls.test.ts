import { expect, test } from 'vitest';
import { internalTlsRules, internalVariables, readConfig, serviceUrlVariables } from './index.ts';

const settings = { ...internalVariables, leasesUrls: serviceUrlVariables.leasesUrls };
const secret = { INTERNAL_SECRET: 'the-internal-secret-of-a-test-0123456789' };
const files = {
  INTERNAL_TLS_CA_FILE: '/tls/ca.crt',
  INTERNAL_TLS_CERT_FILE: '/tls/tls.crt',
  INTERNAL_TLS_KEY_FILE: '/tls/tls.key',
};
const read = (env: Record<string, string>) =>
  readConfig(settings, { ...secret, ...env }, { rules: internalTlsRules }).values;

test.each(Object.keys(files))(
  '%s alone is refused: a process would verify others without proving itself, or the other way around',
  (name) => {
    const others = Object.keys(files).filter((other) => other !== name);
    expect(() => read({ [name]: '/tls/file' })).toThrow(`${name} is set without ${others.join(' and ')}.`);
  },
);

test('with the files, a URL without TLS is refused, also the default and one of several', () => {
  for (const url of [undefined, 'http://leases:4102', 'https://a:4102,http://b:4102'])
    expect(() => read({ ...files, ...(url && { LEASES_SERVICE_URL: url }) })).toThrow(
      /LEASES_SERVICE_URL is http:.* without TLS, but INTERNAL_TLS_CERT_FILE is set/,
    );
  expect(read({ ...files, LEASES_SERVICE_URL: 'https://leases:4102' }).internalTlsCaFile).toBe('/tls/ca.crt');
});

test('without the files, URLs with and without TLS are accepted', () => {
  expect(read({}).leasesUrls).toEqual(['http://127.0.0.1:4102']);
  expect(read({ LEASES_SERVICE_URL: 'https://leases:4102' }).leasesUrls).toEqual(['https://leases:4102']);
});
