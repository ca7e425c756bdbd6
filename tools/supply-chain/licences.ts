import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * SPDX ids of licences that what is shipped may have. All of them allow use in a closed product, and ask for no more than that
 * notices are kept. Before another one is added, somebody has to read it.
 */
const allowedLicences: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
];

/**
 * The licence of each installed package, as its package.json states it, by `name@version`. An empty text: it states none.
 *
 * @param root of the repository. pnpm has a folder of each package below `node_modules/.pnpm`
 */
export function readLicences(root: string): Map<string, string> {
  const store = join(root, 'node_modules', '.pnpm');
  const folders = list(store).filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  return new Map(folders.flatMap(({ name }) => readPackages(join(store, name, 'node_modules'))));
}

/** The packages of a folder of the store. Its links lead to packages of other folders. */
function readPackages(modules: string): [id: string, licence: string][] {
  return list(modules).flatMap((entry): [string, string][] => {
    const path = join(modules, entry.name);
    if (!entry.isDirectory()) return [];
    if (entry.name.startsWith('@')) return readPackages(path);
    const manifest = join(path, 'package.json');
    if (!existsSync(manifest)) return [];
    const { name, version, license, licenses } = JSON.parse(readFileSync(manifest, 'utf8'));
    return [[`${name}@${version}`, spdxOf(license ?? licenses)]];
  });
}

/** Old packages state an object, or a list of objects, of which any may be chosen. */
function spdxOf(stated: unknown): string {
  if (typeof stated === 'string') return stated;
  if (Array.isArray(stated)) return stated.map(spdxOf).join(' OR ');
  const { type } = (stated ?? {}) as { type?: unknown };
  return typeof type === 'string' ? type : '';
}

function list(path: string): Dirent[] {
  return existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
}

/** Whether a licence may be shipped. Of several with `OR`, one must be allowed. Any other expression needs a reader. */
function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => allowedLicences.includes(choice));
}

/**
 * Packages whose licence is not allowed, is not stated, or is not known because they are not installed. A sentence for each.
 *
 * @param ids `name@version`
 */
export function findForbiddenLicences(
  ids: Iterable<string>,
  licences: ReadonlyMap<string, string>,
): string[] {
  return [...ids].flatMap((id) => {
    const licence = licences.get(id);
    if (licence === undefined) return [`${id} is not installed, so its licence is not known`];
    if (licence === '') return [`${id} states no licence`];
    if (isAllowed(licence)) return [];
    return [`${id} has the licence ${licence}, which tools/supply-chain/licences.ts does not allow`];
  });
}
