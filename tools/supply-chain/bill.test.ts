import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { images } from '../image/images.ts';
import { type Bill, findForbiddenLicences, listLicences, makeBill, tidy } from './bill.ts';
import { listDirectPackages } from './packages.ts';

const root = join(import.meta.dirname, '../..');
const [all, gateway, leases, keyDerivation] = await Promise.all(
  [undefined, 'gateway', 'services/leases', 'services/key-derivation'].map((image) => makeBill(root, image)),
);
const namesOf = (bill: Bill | undefined) =>
  listLicences(bill ?? expect.fail()).map(([id]) => id.slice(0, id.lastIndexOf('@')));

it('every package that a package of Latchkey runs with is in the bill of materials, and no tool of tests or builds', () => {
  const names = namesOf(all);
  for (const name of listDirectPackages((file) => readFileSync(join(root, file), 'utf8')))
    expect(names).toContain(name);
  for (const tool of ['vitest', 'typescript', 'vite', 'testcontainers', 'express', 'playwright-core'])
    expect(names).not.toContain(tool);
});

it('the bill of an image has what this image contains: no driver if it is removed, React if there is a dashboard', async () => {
  expect(namesOf(leases)).toEqual(expect.arrayContaining(['pg', 'better-sqlite3']));
  expect(namesOf(leases)).not.toContain('react');
  for (const removed of images['services/key-derivation']?.unused ?? [])
    expect(namesOf(keyDerivation)).not.toContain(removed);
  expect(namesOf(gateway)).toContain('react');
  // The package of the gateway names the services, for the single node. Its image has none of them.
  expect(namesOf(gateway)).not.toContain('@aws-sdk/client-kms');
  await expect(makeBill(root, 'gatewy')).rejects.toThrow('Accepted: gateway, services/key-derivation');
});

it('each package has the hash of its archive, no package is one of the workspace, and each names only packages that are in the bill', () => {
  const { components, dependencies, metadata } = leases ?? expect.fail();
  const refs = components.map((component) => component['bom-ref']);
  expect(JSON.stringify(components).match(/"alg":"SHA-512","content":"[0-9a-f]{128}"/g)).toHaveLength(
    refs.length,
  );
  expect(namesOf(leases).filter((name) => name.startsWith('@latchkey/'))).toEqual([]);
  expect(dependencies.map(({ ref }) => ref)).toEqual([metadata.component['bom-ref'], ...refs]);
  for (const { dependsOn } of dependencies) expect(refs).toEqual(expect.arrayContaining(dependsOn));
});

it('the bill has the same bytes whatever the order, the time and the serial number of pnpm, and another serial number for other content', () => {
  const component = (name: string) => ({ name, version: '1.0.0', 'bom-ref': name });
  const subject = { ...component('latchkey'), purl: 'pkg:npm/latchkey@1.0.0' };
  const made = (names: string[], timestamp: string): Bill => ({
    serialNumber: timestamp,
    metadata: { timestamp, component: subject },
    components: names.map(component),
    dependencies: [{ ref: 'latchkey', dependsOn: names }],
  });
  const [first, second] = [made(['a', 'b'], '1'), made(['b', 'a'], '2')].map((bill) =>
    tidy(bill, { packages: [] }),
  );
  expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  expect(tidy(made(['a'], '1'), { packages: [] }).serialNumber).not.toBe(first?.serialNumber);
});

it.each([
  ['GPL-3.0-only', ['a@1 has the licence GPL-3.0-only, which tools/supply-chain/bill.ts does not allow']],
  ['MIT AND GPL-3.0-only', [expect.stringContaining('a@1 has the licence MIT AND GPL-3.0-only')]],
  ['', [expect.stringContaining('a@1 has the licence that it does not state')]],
  ['(GPL-2.0-only OR MIT)', []],
])('of a package with the licence %j the check says %j', (expression, sentences) => {
  const licenses = expression === '' ? [] : [{ expression }];
  const components = [{ name: 'a', version: '1', 'bom-ref': 'a', licenses }];
  expect(findForbiddenLicences({ components })).toEqual(sentences);
});
