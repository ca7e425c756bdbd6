import { createHash } from 'node:crypto';
import type { Closure } from './lock-file.ts';

/** What the document is about. */
export interface Subject {
  /** `latchkey`, or the name of an image. */
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

const specVersion = '1.6';

/**
 * A software bill of materials: a JSON document of CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
 *
 * The same input gives the same bytes. So there is no time in it unless one is given, and the serial number follows from the content.
 * The workspace's own packages are one component, the subject: they are never published by themselves.
 *
 * @param licences SPDX id or expression of each package, by `name@version`
 * @param atMs the time that it states, in milliseconds since 1970
 */
export function makeSbom(
  subject: Subject,
  { direct, all }: Closure,
  licences: ReadonlyMap<string, string>,
  atMs?: number,
): string {
  // Not a package URL of npm: that name is not ours there.
  const root = `${subject.name}@${subject.version}`;
  const components = [...all].map(([id, { name, version, sha512 }]) => ({
    type: 'library',
    'bom-ref': purlOf(name, version),
    ...splitScope(name),
    version,
    hashes: [{ alg: 'SHA-512', content: sha512 }],
    ...describeLicence(licences.get(id) ?? ''),
    purl: purlOf(name, version),
  }));
  const refOf = (id: string) => {
    const { name = '', version = '' } = all.get(id) ?? {};
    return purlOf(name, version);
  };
  const content = {
    metadata: {
      ...(atMs === undefined ? {} : { timestamp: new Date(atMs).toISOString() }),
      component: {
        type: 'application',
        'bom-ref': root,
        name: subject.name,
        version: subject.version,
        ...describeLicence(subject.licence),
      },
    },
    components,
    dependencies: [
      { ref: root, dependsOn: direct.map(refOf) },
      ...[...all].map(([id, { uses }]) => ({ ref: refOf(id), dependsOn: [...new Set(uses.map(refOf))] })),
    ],
  };
  const head = {
    $schema: `http://cyclonedx.org/schema/bom-${specVersion}.schema.json`,
    bomFormat: 'CycloneDX',
    specVersion,
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
  };
  return `${JSON.stringify({ ...head, ...content }, null, 2)}\n`;
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function splitScope(name: string): { group?: string; name: string } {
  const [group = '', rest] = name.split('/');
  return rest === undefined ? { name } : { group, name: rest };
}

function describeLicence(licence: string) {
  if (licence === '') return {};
  return { licenses: [/ |\(/.test(licence) ? { expression: licence } : { license: { id: licence } }] };
}

/** A UUID of version 8 (RFC 9562): the first 128 bits of a SHA-256. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
