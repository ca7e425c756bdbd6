import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { pnpm } from '../ensure-installed.mjs';
import { images } from '../image/images.ts';

/** The parts of a bill of materials of CycloneDX that are read here. */
export interface Bill {
  serialNumber: string;
  metadata: {
    timestamp?: string;
    component: { name: string; version: string; purl?: string; 'bom-ref': string };
  };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Component {
  group?: string;
  name: string;
  version: string;
  'bom-ref': string;
  licenses?: { expression?: string; license?: { id?: string; name?: string } }[];
}

/** The part of the bill that is wanted. */
interface Selection {
  /** Folders of packages of the workspace. */
  packages: readonly string[];
  /** Names of packages that are removed afterwards. */
  unused?: readonly string[];
  /** The build argument PACKAGE of one image. */
  image?: string;
  /** The time that the bill states. */
  atMs?: number;
}

/** The dashboard is built into images that serve it, so what it uses is part of them. */
const dashboard = 'admin';
const folders = [...new Set(Object.values(images).flatMap(({ packages }) => packages))];

/** Folders of the packages that run somewhere else than in a test: in an image, in a browser or on the machine of an operator. */
export const shippedFolders: readonly string[] = [...folders, dashboard, 'sdk/player'].sort();

/**
 * The bill of pnpm for the packages that are shipped, made comparable by `tidy`. Takes two seconds, and no network.
 *
 * @param root of the repository
 * @param image the build argument PACKAGE of one image. Optional. Default: everything
 * @param atMs the time that the bill states. Optional. Default: none
 * @throws Error if there is no such image
 */
export async function makeBill(root: string, image?: string, atMs?: number): Promise<Bill> {
  const { packages = shippedFolders, hasDashboard = false, unused = [] } = image ? (images[image] ?? {}) : {};
  if (image && !images[image])
    throw new Error(`${image} is not an image. Accepted: ${Object.keys(images).join(', ')}`);
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application'];
  const filters = [...packages, ...(hasDashboard ? [dashboard] : [])].flatMap((folder) => [
    '--filter',
    `./${folder}`,
  ]);
  const args = ['--yes', pnpm, 'sbom', '--prod', ...format, ...filters];
  const { stdout } = await promisify(execFile)('npx', args, {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  return tidy(JSON.parse(stdout), {
    packages,
    unused,
    ...(image && { image }),
    ...(atMs !== undefined && { atMs }),
  });
}

/**
 * Gives the same bytes for the same packages: pnpm writes another order, time and serial number in each run. Keeps only what `packages` of the
 * workspace use without `unused`. The packages of the workspace are the subject, and no components: nobody may look for their names in a registry.
 */
export function tidy(bill: Bill, { packages, unused = [], image, atMs }: Selection): Bill {
  const { timestamp: _, ...metadata } = bill.metadata;
  const { purl: _name, ...subject } = metadata.component;
  const own = new Set(packages.map((folder) => `@latchkey/${basename(folder)}`));
  const byRef = new Map(bill.components.map((each) => [each['bom-ref'], each]));
  const uses = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  /** The packages that a package uses; for a package of the workspace, also the packages that its neighbors use. */
  const usedBy = (ref: string, seen = new Set([ref])): string[] =>
    (uses.get(ref) ?? []).flatMap((used) => {
      const component = byRef.get(used);
      if (!component || seen.has(used)) return [];
      seen.add(used);
      if (component.group !== '@latchkey') return unused.includes(nameOf(component)) ? [] : [used];
      return own.has(nameOf(component)) ? usedBy(used, seen) : [];
    });
  const found = new Map<string, string[]>();
  const visit = (ref: string) => {
    if (found.has(ref)) return;
    const used = usedBy(ref).sort();
    found.set(ref, used);
    for (const each of used) visit(each);
  };
  const root = subject['bom-ref'];
  visit(root);
  const direct = found.get(root) ?? [];
  found.delete(root);
  const refs = [...found.keys()].sort();
  const name = image ? `${subject.name}/${image}` : subject.name;
  const reference = `${name}@${subject.version}`;
  const content = {
    metadata: {
      ...metadata,
      ...(atMs === undefined ? {} : { timestamp: new Date(atMs).toISOString() }),
      component: { ...subject, name, 'bom-ref': reference },
    },
    components: refs.flatMap((ref) => byRef.get(ref) ?? []),
    dependencies: [
      { ref: reference, dependsOn: direct },
      ...refs.map((ref) => ({ ref, dependsOn: found.get(ref) ?? [] })),
    ],
  };
  return { ...bill, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`, ...content };
}

/** A UUID of version 8 (RFC 9562): the first 128 bits of a SHA-256. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const nameOf = ({ group, name }: Component) => (group ? `${group}/${name}` : name);

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

/** Each package of a bill with its licence: an SPDX id or expression, or an empty text. */
export function listLicences({ components }: Pick<Bill, 'components'>): [id: string, licence: string][] {
  return components.map((each) => {
    const [stated] = each.licenses ?? [];
    const licence = stated?.expression ?? stated?.license?.id ?? stated?.license?.name ?? '';
    return [`${nameOf(each)}@${each.version}`, licence];
  });
}

/** Packages whose licence is not allowed or not stated. A sentence for each. Of several with `OR`, one must be allowed. */
export function findForbiddenLicences(bill: Pick<Bill, 'components'>): string[] {
  return listLicences(bill)
    .filter(
      ([, licence]) =>
        !licence
          .replace(/^\((.*)\)$/, '$1')
          .split(' OR ')
          .some((choice) => allowedLicences.includes(choice)),
    )
    .map(
      ([id, licence]) =>
        `${id} has the licence ${licence || 'that it does not state'}, which tools/supply-chain/bill.ts does not allow`,
    );
}
