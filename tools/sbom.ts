// `npm run check -- sbom`: what Latchkey is made of, as a document that other tools read.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '@latchkey/support/read-flags';
import { findForbiddenLicences, listLicences, makeBill } from './supply-chain/bill.ts';

const usage = `npm run check -- sbom: a software bill of materials (CycloneDX 1.6, JSON) of the packages that are shipped

\`pnpm sbom\` makes it of the lock file and the installed packages. Needs no network. The same commit gives the same bytes. With
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
  const { SOURCE_DATE_EPOCH: epoch } = process.env;
  const bill = await makeBill(root, flags.image, epoch ? Number(epoch) * 1_000 : undefined);
  const text = flags.licences
    ? listLicences(bill)
        .map(([id, licence]) => `${id}  ${licence}\n`)
        .join('')
    : `${JSON.stringify(bill, null, 2)}\n`;
  if (flags.out === undefined) process.stdout.write(text);
  else writeFileSync(flags.out, text);
  const forbidden = findForbiddenLicences(bill);
  for (const sentence of forbidden) process.stderr.write(`${sentence}\n`);
  process.exitCode = forbidden.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
