import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { images } from '../image/images.ts';
import { makeSbom } from './cyclone-dx.ts';
import { findForbiddenLicences, readLicences } from './licences.ts';
import { findClosure } from './lock-file.ts';
import { listDirectPackages } from './packages.ts';
import { findShipped, shippedFolders } from './shipped.ts';

const root = join(import.meta.dirname, '../..');
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const licences = readLicences(root);
const shipped = findShipped(root);
const inGateway = findShipped(root, 'gateway');
const sbom = makeSbom({ name: 'latchkey', version, licence: license }, shipped, licences);

/** The validator of CycloneDX 1.6, from the schemas that the makers of CycloneDX publish. */
function readValidator() {
  const library = dirname(
    createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'),
  );
  const read = (name: string) =>
    JSON.parse(readFileSync(join(library, 'res/schema', `${name}.SNAPSHOT.schema.json`), 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true });
  // The schema of 1.6 names both by their files.
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  formats.default(ajv);
  // Formats of later drafts, which ajv-formats lacks. No field of ours has them.
  for (const name of ['idn-email', 'iri-reference']) ajv.addFormat(name, true);
  return ajv.compile(read('bom-1.6'));
}

const validate = readValidator();

it('the software bill of materials is a valid document of CycloneDX 1.6, for everything and for an image', () => {
  const documents = [sbom, makeSbom({ name: 'gateway', version, licence: license }, inGateway, licences, 0)];
  for (const text of documents) {
    validate(JSON.parse(text));
    expect(validate.errors).toBeNull();
  }
  // The validator does find mistakes.
  expect(validate({ ...JSON.parse(sbom), serialNumber: 'none' })).toBe(false);
  expect(validate({ ...JSON.parse(sbom), components: [{ type: 'library' }] })).toBe(false);
});

it('the software bill of materials has the same bytes whatever the order of the lock file, and another serial number for other content', () => {
  const lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'));
  const turned = (entries: object) => Object.fromEntries(Object.entries(entries).reverse());
  for (const part of ['importers', 'packages', 'snapshots']) lock[part] = turned(lock[part]);
  const subject = { name: 'latchkey', version, licence: license };
  const again = makeSbom(subject, findClosure(stringify(lock), [...shippedFolders].reverse()), licences);
  expect(again).toBe(sbom);
  const other = makeSbom({ ...subject, version: '9.9.9' }, shipped, licences);
  expect(JSON.parse(other).serialNumber).not.toBe(JSON.parse(sbom).serialNumber);
});

it('the command writes the software bill of materials without network and without a time of its own', () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(root, 'tools/sbom.ts'), ...args], {
      encoding: 'utf8',
      // No address can be reached through it.
      env: { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' },
    });
  expect(run()).toBe(sbom);
  expect(run('--licences').split('\n')).toContain(`fastify@${versionOf('fastify')}  MIT`);
});

const versionOf = (name: string) =>
  [...shipped.all.values()].find((entry) => entry.name === name)?.version ?? '';

describe('what is in it', () => {
  const namesOf = ({ all }: typeof shipped) => [...new Set([...all.values()].map(({ name }) => name))];

  it('every package that a package of Latchkey runs with is in the software bill of materials, and no tool of tests or builds', () => {
    const names = namesOf(shipped);
    for (const name of listDirectPackages((file) => readFileSync(join(root, file), 'utf8')))
      expect(names).toContain(name);
    for (const tool of ['vitest', 'typescript', 'vite', 'testcontainers', 'express', 'playwright-core'])
      expect(names).not.toContain(tool);
  });

  it('the bill of an image has what this image contains: no driver where it is removed, React where the dashboard is', () => {
    const leases = namesOf(findShipped(root, 'services/leases'));
    const keyDerivation = namesOf(findShipped(root, 'services/key-derivation'));
    expect(leases).toEqual(expect.arrayContaining(['pg', 'better-sqlite3']));
    expect(leases).not.toContain('react');
    for (const removed of images['services/key-derivation']?.unused ?? [])
      expect(keyDerivation).not.toContain(removed);
    expect(namesOf(inGateway)).toContain('react');
    expect(() => findShipped(root, 'gatewy')).toThrow('Accepted: gateway, services/key-derivation');
  });

  it('each package has the hash of its archive from the lock file, and each names only packages that are in it', () => {
    const { components, dependencies } = JSON.parse(sbom);
    const refs = new Set(components.map((component: { 'bom-ref': string }) => component['bom-ref']));
    expect(refs.size).toBe(components.length);
    for (const { hashes } of components) expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  });
});

it.each([
  ['GPL-3.0-only', 'has the licence GPL-3.0-only, which'],
  ['MIT AND GPL-3.0-only', 'has the licence MIT AND GPL-3.0-only, which'],
  ['SEE LICENSE IN LICENSE.txt', 'has the licence SEE LICENSE'],
  ['', 'states no licence'],
])('a package with the licence %j fails the check', (licence, sentence) => {
  expect(findForbiddenLicences(['a@1'], new Map([['a@1', licence]]))[0]).toContain(`a@1 ${sentence}`);
});

it('a choice of licences passes the check where one of them is allowed, and a package that is not installed fails it', () => {
  expect(findForbiddenLicences(['a@1'], new Map([['a@1', '(GPL-2.0-only OR MIT)']]))).toEqual([]);
  expect(findForbiddenLicences(['a@1'], new Map())).toEqual([
    'a@1 is not installed, so its licence is not known',
  ]);
});
