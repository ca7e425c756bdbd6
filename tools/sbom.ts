// `npm run check -- sbom`: what Latchkey is made of, as a document that other tools read.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '@latchkey/support/read-flags';
import { makeSbom } from './supply-chain/cyclone-dx.ts';
import { findForbiddenLicences, readLicences } from './supply-chain/licences.ts';
import { findShipped } from './supply-chain/shipped.ts';

const usage = `npm run check -- sbom: a software bill of materials (CycloneDX 1.6, JSON) of the packages that are shipped

Reads the lock file and the licences of the installed packages. Needs no network. The same commit gives the same bytes. With
SOURCE_DATE_EPOCH (seconds since 1970) in the environment, the document states that time.

  npm run --silent check -- sbom > latchkey.cdx.json      everything: all images, the command line, the packages for browsers
  npm run check -- sbom --out latchkey.cdx.json           the same
  npm run check -- sbom --image services/leases           one image, by its build argument PACKAGE
  npm run --silent check -- sbom --licences               each package with its licence, as lines of text

The base image of the images (Node and Debian) is not part of it. Exits 1 if a licence is not allowed.
`;
const { values: flags } = readFlags(usage, {
  options: { out: { type: 'string' }, image: { type: 'string' }, licences: { type: 'boolean' } },
});

const root = join(import.meta.dirname, '..');
try {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const shipped = findShipped(root, flags.image);
  const licences = readLicences(root);
  const subject = { name: flags.image ? `${name}/${flags.image}` : name, version, licence: license };
  const { SOURCE_DATE_EPOCH: epoch } = process.env;
  const text = flags.licences
    ? [...shipped.all.keys()].map((id) => `${id}  ${licences.get(id) ?? 'not installed'}\n`).join('')
    : makeSbom(subject, shipped, licences, epoch ? Number(epoch) * 1_000 : undefined);
  if (flags.out === undefined) process.stdout.write(text);
  else writeFileSync(flags.out, text);
  const forbidden = findForbiddenLicences(shipped.all.keys(), licences);
  for (const sentence of forbidden) process.stderr.write(`${sentence}\n`);
  process.exitCode = forbidden.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
